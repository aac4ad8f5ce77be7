import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGateway } from '../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../src/services/gateway/settings.ts';
import { type CpuUse, measureCpuUse } from './counted.ts';

/** Runs only the gateway client, in a separate process. It polls the engine's tasks in turn, with a fixed number of polls in flight. */

export interface ClientInput {
  gatewayUrl: string;
  remoteIds: readonly string[];
  inFlight: number;
  warmUpMs: number;
  countedMs: number;
}

export interface ClientFigures extends CpuUse {
  polls: number;
}

const [input] = (await once(process, 'message')) as [ClientInput];
const { gatewayUrl: baseUrl, remoteIds, inFlight } = input;
const gateway = createGateway({ ...defaultSettings, baseUrl, apiKey: 'sk-sandbox', connections: inFlight });
let polls = 0;
let isOver = false;
const pollLoops = Array.from({ length: inFlight }, pollRepeatedly);
await sleep(input.warmUpMs);
polls = 0;
const cost = await measureCpuUse(input.countedMs);
process.send?.({ polls, ...cost } satisfies ClientFigures);
isOver = true;
await Promise.all(pollLoops);
await gateway.close();
process.disconnect();

async function pollRepeatedly(): Promise<void> {
  while (!isOver) {
    polls += 1;
    await gateway.imgx.get(remoteIds[polls % remoteIds.length] ?? '', { attempts: 1 });
  }
}
