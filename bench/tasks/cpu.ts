import { end, messageFrom, start } from '../discord/child.ts';
import { median, table } from '../table.ts';
import type { ClientFigures, ClientInput } from './client.ts';
import { runEngine } from './engine-run.ts';
import { remoteIdOf } from './filled-store.ts';
import { StoreFolder } from './store-folder.ts';
import type { StubServed } from './stub.ts';

const ROUNDS = 3;
const IN_FLIGHT = 64;
const TASKS = 5_000;
/** One lane may use three quarters of all concurrent polls. */
const IN_FLIGHT_OF_ALL_LANES = 86;
/** The engine's clock runs so much faster that a poll is always due, just as the client alone always has a task to poll. */
const CLOCK_SPEED = 20;
const UNBOUND = 1_000_000;
const times = { warmUpMs: 2_500, countedMs: 3_000 } as const;

const variants = { client: 'client alone (imgx.get)', engine: 'whole engine' } as const;
type Way = keyof typeof variants;
type Poll = { perSecond: number; cpuMicros: number };

/** Measures the same polls of the same server, alternating between the client alone and the engine around it. */
export async function measureCpu(): Promise<void> {
  const results: Record<Way, Poll[]> = { client: [], engine: [] };
  const folder = await StoreFolder.open();
  const stub = start(new URL('stub.ts', import.meta.url));
  try {
    const { url } = await messageFrom<StubServed>(stub);
    for (let round = 0; round < ROUNDS; round++) {
      results.client.push(await askAlone(url));
      results.engine.push(await askFromEngine(url, await folder.filled({ tasks: TASKS, ageMs: 0 })));
    }
  } finally {
    await Promise.all([folder.close(), end(stub)]);
  }
  report(results);
}

async function askAlone(gatewayUrl: string): Promise<Poll> {
  const client = start(new URL('client.ts', import.meta.url));
  try {
    const remoteIds = Array.from({ length: TASKS }, (_, number) => remoteIdOf(number));
    client.send({ gatewayUrl, remoteIds, inFlight: IN_FLIGHT, ...times } satisfies ClientInput);
    const { polls, seconds, cpuMicros } = await messageFrom<ClientFigures>(client);
    return { perSecond: polls / seconds, cpuMicros: cpuMicros / polls };
  } finally {
    await end(client);
  }
}

async function askFromEngine(gatewayUrl: string, file: string): Promise<Poll> {
  const { polls, seconds, cpuMicros } = await runEngine({
    ...{ file, gatewayUrl, pollsInBatches: false, connections: IN_FLIGHT, clockSpeed: CLOCK_SPEED, isTimed: false },
    ...{ perSecond: UNBOUND, inFlight: IN_FLIGHT_OF_ALL_LANES, ...times },
  });
  return { perSecond: polls / seconds, cpuMicros: cpuMicros / polls };
}

function report(results: Record<Way, Poll[]>): void {
  const cpu = (way: Way): number => median(results[way].map(({ cpuMicros }) => cpuMicros));
  const rows = (Object.keys(variants) as Way[]).map((way) => [
    variants[way],
    Math.round(median(results[way].map(({ perSecond }) => perSecond))).toLocaleString('en'),
    cpu(way).toFixed(0),
    (cpu(way) / cpu('client')).toFixed(2),
  ]);
  console.log(`
Polls of running tasks without news, ${IN_FLIGHT} in flight at all times, median of ${ROUNDS} alternating rounds. The engine has ${TASKS.toLocaleString('en')} live tasks
and a clock ${CLOCK_SPEED} times as fast as the machine's, so that a poll is always due.
`);
  console.log(table(['', 'polls/s', 'CPU µs/poll', 'ratio'], rows));
}
