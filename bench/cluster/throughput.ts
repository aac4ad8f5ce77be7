import { setTimeout as sleep } from 'node:timers/promises';
import { range } from '../compare.ts';
import type { Bot } from '../harness/bot.ts';
import { cpuTime, processesOf } from '../harness/processes.ts';
import { median, table } from '../table.ts';
import { limitCpuShare } from './duty.ts';
import type { TaskType } from './orders.ts';
import { type ClusterHarness, PARTITIONS } from './stage.ts';

/** The share of a core that each worker may use, so small that two workers, the servers and the members need less than two cores. */
const CPU_SHARE = 0.2;
const TARGET_RATIO = 1.8;
const TARGET_CPU_RATIO = 1.1;
const IDLE_MS = 5_000;
/** Each worker finishes this many orders at full speed before it is limited: a process whose code is not optimized yet needs more CPU per order. */
const WARM_UP_ORDERS: Readonly<Record<TaskType, number>> = { text: 800, image: 100 };
/** How long the limited workers run before they are measured. */
const SETTLING_MS = 10_000;
const MEASURED_MS = 30_000;
/** With more members, some would wait longer for their acknowledgement than a shard process allows. */
const MEMBERS_PER_WORKER: Readonly<Record<TaskType, number>> = { text: 32, image: 16 };
const allPartitions = Array.from({ length: PARTITIONS }, (_, at) => at);

interface Measurement {
  perSecond: number;
  /** The CPU time per order of the workers and their media processes, including what they use when idle. */
  cpuMs: number;
  /** How much the workers use of the CPU time that they are allowed. */
  usedShare: number;
  idleShare: number;
  shardCpuMs: number;
  serversCpuMs: number;
  refused: number;
}

const shapes = { all: 'all', one: 'one worker', two: 'two workers' } as const;
type Shape = keyof typeof shapes;
const names = Object.keys(shapes) as Shape[];

/**
 * Measures the orders per second with one and with two workers. Each may use only a small share of a core, so that neither the machine nor
 * the embedded servers are the limit.
 */
export async function measureThroughput(harness: ClusterHarness, rounds: number): Promise<void> {
  const emptyResults = (): Record<Shape, Measurement[]> => ({ all: [], one: [], two: [] });
  const results: Record<TaskType, Record<Shape, Measurement[]>> = { text: emptyResults(), image: emptyResults() };
  for (let round = 0; round < rounds; round++)
    for (const what of ['text', 'image'] as const)
      for (const shape of round % 2 === 0 ? names : names.toReversed()) {
        const processes = await startProcesses(harness, shape);
        await harness.waitForSessions(1);
        results[what][shape].push(await measureOrders(harness, { ...processes, what }));
        await harness.clear();
      }
  report(results, rounds);
}

interface Processes {
  /** A single process is both shard process and worker. */
  shard?: Bot;
  workers: readonly Bot[];
}

async function startProcesses(harness: ClusterHarness, shape: Shape): Promise<Processes> {
  if (shape !== 'all') return harness.startCluster(shape === 'one' ? 1 : 2);
  const one = harness.start('all');
  await one.ready;
  return { workers: [one] };
}

async function measureOrders(
  harness: ClusterHarness,
  { shard, workers, what }: Processes & { what: TaskType },
): Promise<Measurement> {
  const cpuOf = async (processes: readonly Bot[]): Promise<number> =>
    cpuTime((await Promise.all(processes.map(({ pid }) => processesOf(pid)))).flat());
  const counters = async () => ({
    at: performance.now(),
    workers: await cpuOf(workers),
    shard: await cpuOf(shard ? [shard] : []),
    sides: (await harness.request('cpuTime', null)).cpuMs,
  });
  const idleStart = await counters();
  await sleep(IDLE_MS);
  const idleEnd = await counters();
  const idleShare = (idleEnd.workers - idleStart.workers) / (idleEnd.at - idleStart.at);
  await harness.request('work', {
    what,
    members: MEMBERS_PER_WORKER[what] * workers.length,
    partitions: allPartitions,
  });
  for (let finished = 0; finished < WARM_UP_ORDERS[what] * workers.length; await sleep(1_000))
    finished += (await harness.request('takeFigures', null)).milliseconds.length;
  const cpuLimits = workers.map(({ pid }) => limitCpuShare(pid, CPU_SHARE));
  try {
    await sleep(SETTLING_MS);
    await harness.request('takeFigures', null);
    const start = await counters();
    await sleep(MEASURED_MS);
    const { milliseconds, refused } = await harness.request('takeFigures', null);
    const end = await counters();
    const [ms, orders] = [end.at - start.at, milliseconds.length];
    const used = end.workers - start.workers;
    return {
      perSecond: (1_000 * orders) / ms,
      refused,
      idleShare,
      usedShare: used / ms / workers.length / CPU_SHARE,
      cpuMs: used / orders,
      shardCpuMs: (end.shard - start.shard) / orders,
      serversCpuMs: (end.sides - start.sides) / orders,
    };
  } finally {
    await Promise.all(cpuLimits.map((cpuLimit) => cpuLimit.end()));
    await harness.request('stopWork', null);
  }
}

function report(results: Record<TaskType, Record<Shape, Measurement[]>>, rounds: number): void {
  const rows = (['text', 'image'] as const).flatMap((what) => {
    const valuesOf = (shape: Shape, pick: (measurement: Measurement) => number): number[] =>
      results[what][shape].map(pick);
    const ratio = (shape: Shape, pick: (measurement: Measurement) => number): string =>
      (median(valuesOf(shape, pick)) / median(valuesOf('one', pick))).toFixed(2);
    return names.map((shape) => [
      `${what} orders, ${shapes[shape]}`,
      range(
        valuesOf(shape, ({ perSecond }) => perSecond),
        1,
      ),
      ratio(shape, ({ perSecond }) => perSecond),
      range(
        valuesOf(shape, ({ cpuMs }) => cpuMs),
        1,
      ),
      ratio(shape, ({ cpuMs }) => cpuMs),
      `${range(
        valuesOf(shape, ({ usedShare }) => 100 * usedShare),
        0,
      )}%`,
      `${range(
        valuesOf(shape, ({ idleShare }) => 100 * idleShare),
        1,
      )}%`,
      median(valuesOf(shape, ({ shardCpuMs }) => shardCpuMs)).toFixed(1),
      median(valuesOf(shape, ({ serversCpuMs }) => serversCpuMs)).toFixed(1),
      String(valuesOf(shape, ({ refused }) => refused).reduce((sum, count) => sum + count, 0)),
    ]);
  });
  console.log(`
Orders per second with processes that may use ${100 * CPU_SHARE}% of a core each; ${rounds} alternating rounds of ${MEASURED_MS / 1_000} s each; median (minimum to maximum).
Ratios to one worker. The CPU is that of the workers, or of \`all\`, and their media processes, and includes what they use without orders, which the column "idle" shows as a share of a core.
If "used" is much less than 100%, something else was the limit. Targets: ${TARGET_RATIO} times as many orders, ${TARGET_CPU_RATIO} times the CPU per order.
`);
  console.log(
    table(['', 'orders/s', 'ratio', 'CPU ms', 'ratio', 'used', 'idle', 'shard ms', 'servers ms', 'refused'], rows),
  );
}
