import { messageFrom } from '../discord/child.ts';
import { launch, stop } from '../harness/program.ts';
import { median, table } from '../table.ts';
import type { ClientFigures, ClientInput } from './client.ts';
import { runEngine } from './engine-run.ts';
import { remoteIdOf } from './filled-store.ts';
import { StoreFolder } from './store-folder.ts';
import type { StubInfo } from './stub.ts';

const ROUNDS = 3;
const IN_FLIGHT = 64;
const TASKS = 5_000;
/** One lane may use three quarters of all concurrent polls. */
const TOTAL_IN_FLIGHT = 86;
/** The engine's clock runs this many times as fast, so that a poll is always due, just as the client alone always has a task to poll. */
const CLOCK_SPEED = 20;
const UNLIMITED = 1_000_000;
const times = { warmUpMs: 2_500, countedMs: 3_000 } as const;

const variants = { client: 'client alone (imgx.get)', engine: 'whole engine' } as const;
type Variant = keyof typeof variants;
type PollCost = { perSecond: number; cpuMicros: number };

/** Measures the same polls of the same server, alternating between the client alone and the engine around it. */
export async function measureCpu(): Promise<void> {
  const results: Record<Variant, PollCost[]> = { client: [], engine: [] };
  const folder = await StoreFolder.open();
  const stub = launch(new URL('stub.ts', import.meta.url));
  try {
    const { url } = await messageFrom<StubInfo>(stub);
    for (let round = 0; round < ROUNDS; round++) {
      results.client.push(await measureClient(url));
      results.engine.push(await measureEngine(url, await folder.createStore({ tasks: TASKS, ageMs: 0 })));
    }
  } finally {
    await Promise.all([folder.close(), stop(stub)]);
  }
  report(results);
}

async function measureClient(gatewayUrl: string): Promise<PollCost> {
  const client = launch(new URL('client.ts', import.meta.url));
  try {
    const remoteIds = Array.from({ length: TASKS }, (_, number) => remoteIdOf(number));
    client.send({ gatewayUrl, remoteIds, inFlight: IN_FLIGHT, ...times } satisfies ClientInput);
    const { polls, seconds, cpuMicros } = await messageFrom<ClientFigures>(client);
    return { perSecond: polls / seconds, cpuMicros: cpuMicros / polls };
  } finally {
    await stop(client);
  }
}

async function measureEngine(gatewayUrl: string, file: string): Promise<PollCost> {
  const { polls, seconds, cpuMicros } = await runEngine({
    file,
    gatewayUrl,
    pollsInBatches: false,
    connections: IN_FLIGHT,
    clockSpeed: CLOCK_SPEED,
    isTimed: false,
    perSecond: UNLIMITED,
    inFlight: TOTAL_IN_FLIGHT,
    ...times,
  });
  return { perSecond: polls / seconds, cpuMicros: cpuMicros / polls };
}

function report(results: Record<Variant, PollCost[]>): void {
  const cpu = (variant: Variant): number => median(results[variant].map(({ cpuMicros }) => cpuMicros));
  const rows = (Object.keys(variants) as Variant[]).map((variant) => [
    variants[variant],
    Math.round(median(results[variant].map(({ perSecond }) => perSecond))).toLocaleString('en'),
    cpu(variant).toFixed(0),
    (cpu(variant) / cpu('client')).toFixed(2),
  ]);
  console.log(`
Polls of running tasks without news, ${IN_FLIGHT} in flight at all times, median of ${ROUNDS} alternating rounds. The engine has ${TASKS.toLocaleString('en')} live tasks
and a clock ${CLOCK_SPEED} times as fast as the machine's, so that a poll is always due.
`);
  console.log(table(['', 'polls/s', 'CPU µs/poll', 'ratio'], rows));
}
