import { once } from 'node:events';
import { Pool } from 'undici';
import { createGateway } from '../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../src/services/gateway/settings.ts';
import type { ServerInfo } from './server.ts';

export type Variant = 'bare' | 'client';

export interface Assignment extends ServerInfo {
  variant: Variant;
  polls: number;
  inFlight: number;
}

export interface Figures {
  seconds: number;
  cpuMicros: number;
  /** The peak memory use of the process. */
  residentBytes: number;
  heapBytes: number;
}

const WARM_UP_POLLS = 3_000;

const [assignment] = (await once(process, 'message')) as [Assignment];
const poll = createPoll(assignment);

await repeat(WARM_UP_POLLS);
const cpuBefore = process.cpuUsage();
const start = performance.now();
await repeat(assignment.polls);
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);

process.send?.({
  seconds,
  cpuMicros: user + system,
  residentBytes: process.resourceUsage().maxRSS * 1024,
  heapBytes: process.memoryUsage().heapUsed,
} satisfies Figures);

async function repeat(times: number): Promise<void> {
  let remaining = times;
  const work = async (): Promise<void> => {
    while (remaining-- > 0) await poll();
  };
  await Promise.all(Array.from({ length: assignment.inFlight }, work));
}

function createPoll({ variant, url, key, taskId, inFlight }: Assignment): () => Promise<unknown> {
  if (variant === 'client') {
    const gateway = createGateway({ ...defaultSettings, baseUrl: url, apiKey: key, connections: inFlight });
    return () => gateway.imgx.get(taskId);
  }
  const pool = new Pool(url, { connections: inFlight });
  const headers = { authorization: `Bearer ${key}` };
  return async () => {
    const { body } = await pool.request({ path: `/imgx/task/${taskId}/fetch`, method: 'GET', headers });
    return body.json();
  };
}
