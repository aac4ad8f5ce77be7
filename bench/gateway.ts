import { Pool, request } from 'undici';
import { createGateway } from '../src/services/gateway/gateway.ts';
import { defaultSettings } from '../src/services/gateway/settings.ts';
import { alternate, comparison, medianOf, ratioOf } from './compare.ts';
import { program } from './harness/program.ts';

const ROUNDS = 5;
const POLL_COUNT = 20_000;
const WARM_UP_POLLS = 3_000;
const REQUESTS_IN_FLIGHT = 64;
const MIB = 2 ** 20;

const variants = { bare: 'bare undici.request', client: 'client (imgx.get)' } as const;

/** A gateway, and one of its tasks that keeps running. */
interface RunningTask {
  url: string;
  key: string;
  taskId: string;
}

const startServer = program(import.meta, server);
const startCaller = program(import.meta, caller);

/** Measures the same polls of the same server, alternating between bare undici and the client, each in its own process. */
export async function measureGateway(): Promise<void> {
  const embedded = await startServer();
  try {
    const task = await embedded.call('runningTask');
    const results = await alternate(variants, ROUNDS, async (variant) => {
      const polling = await startCaller({ ...task, variant });
      const figures = await polling.call('poll', POLL_COUNT);
      await polling.stop();
      return figures;
    });
    console.log(
      `\n${POLL_COUNT.toLocaleString('en')} polls of one running imgx task, ${REQUESTS_IN_FLIGHT} in flight, median of ${ROUNDS} rounds:\n`,
    );
    console.log(
      comparison(variants, results, [
        ['polls/s', medianOf(({ seconds }) => POLL_COUNT / seconds)],
        ['CPU µs/poll', medianOf(({ cpuMicros }) => cpuMicros / POLL_COUNT, 1)],
        ['CPU ratio', ratioOf(({ cpuMicros }) => cpuMicros)],
        ['peak RSS MiB', medianOf(({ peakBytes }) => peakBytes / MIB)],
        ['heap MiB after', medianOf(({ heapBytes }) => heapBytes / MIB, 1)],
      ]),
    );
  } finally {
    await embedded.stop();
  }
}

async function server() {
  // Only this process loads the embedded gateway, so that it does not count as memory of a caller.
  const { startGateway } = await import('../sandbox/gateway/gateway.ts');
  const key = 'sk-sandbox';
  const { jobs, url } = await startGateway({ keys: [{ key }], profile: 'stock', speed: 50 });
  return {
    async runningTask(): Promise<RunningTask> {
      const { body } = await request(`${url}/imgx/submit/imagine`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'a lighthouse in a storm, oil on canvas --ar 16:9' }),
      });
      const { result: taskId } = (await body.json()) as { result: string };
      // The measured polls are for a running task, so this one never ends.
      await new Promise<void>((resolve) => {
        jobs.on('change', ({ id, state, progress }) => {
          if (id !== taskId || state !== 'running' || progress === 0) return;
          jobs.freeze(id);
          resolve();
        });
      });
      return { url, key, taskId };
    },
  };
}

async function caller({ variant, url, key, taskId }: RunningTask & { variant: keyof typeof variants }) {
  const connections = REQUESTS_IN_FLIGHT;
  const gateway = createGateway({ ...defaultSettings, baseUrl: url, apiKey: key, connections });
  const pool = new Pool(url, { connections });
  const headers = { authorization: `Bearer ${key}` };
  const pollBare = async (): Promise<unknown> =>
    (await pool.request({ path: `/imgx/task/${taskId}/fetch`, method: 'GET', headers })).body.json();
  const poll = variant === 'client' ? () => gateway.imgx.get(taskId) : pollBare;
  const repeat = async (times: number): Promise<void> => {
    let remaining = times;
    const work = async (): Promise<void> => {
      while (remaining-- > 0) await poll();
    };
    await Promise.all(Array.from({ length: REQUESTS_IN_FLIGHT }, work));
  };
  await repeat(WARM_UP_POLLS);
  return {
    async poll(times: number) {
      const cpuBefore = process.cpuUsage();
      const start = performance.now();
      await repeat(times);
      const seconds = (performance.now() - start) / 1_000;
      const { user, system } = process.cpuUsage(cpuBefore);
      const peakBytes = process.resourceUsage().maxRSS * 1_024;
      return { seconds, cpuMicros: user + system, peakBytes, heapBytes: process.memoryUsage().heapUsed };
    },
  };
}
