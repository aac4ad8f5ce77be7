import { setTimeout as sleep } from 'node:timers/promises';
import { median, table } from '../table.ts';
import { limitDuty } from './duty.ts';
import type { What } from './orders.ts';
import type { BotProcess } from './process.ts';
import { processesOf, processorTime } from './processor-time.ts';
import { range } from './range.ts';
import { PARTITIONS, type Stage } from './stage.ts';

/** The share of a core that each worker may use: two of them, the servers and the members need less than two cores. */
const DUTY = 0.2;
const TARGET = 1.8;
const CPU_TARGET = 1.1;
const WARM_UP_MS = 10_000;
const COUNTED_MS = 30_000;
/** The number for each worker. With more of them, some would wait longer for their acknowledgement than a shard process allows. */
const MEMBERS: Readonly<Record<What, number>> = { text: 32, image: 16 };
const all = Array.from({ length: PARTITIONS }, (_, at) => at);

interface Counted {
  perSecond: number;
  /** The processor time of the workers and their media processes, minus what they use when idle. */
  cpuMs: number;
  /** The share of the processor time that they are allowed. */
  usedShare: number;
  idleShare: number;
  shardCpuMs: number;
  sidesCpuMs: number;
  refused: number;
}

const shapes = { all: 'all', one: 'one worker', two: 'two workers' } as const;
type Shape = keyof typeof shapes;
const names = Object.keys(shapes) as Shape[];

/**
 * Orders per second with one and with two workers. Each may use only a small share of a core, so that neither the machine nor the embedded servers are the
 * limit.
 */
export async function measureThroughput(stage: Stage, rounds: number): Promise<void> {
  const empty = (): Record<Shape, Counted[]> => ({ all: [], one: [], two: [] });
  const results: Record<What, Record<Shape, Counted[]>> = { text: empty(), image: empty() };
  for (let round = 0; round < rounds; round++)
    for (const shape of round % 2 === 0 ? names : names.toReversed()) {
      const crew = await startCrew(stage, shape);
      await stage.connected(1);
      for (const what of ['text', 'image'] as const)
        results[what][shape].push(await countedWith(stage, { ...crew, what }));
      await stage.clear();
    }
  report(results, rounds);
}

interface Crew {
  /** A single process is both shard process and worker. */
  shard?: BotProcess;
  workers: readonly BotProcess[];
}

async function startCrew(stage: Stage, shape: Shape): Promise<Crew> {
  if (shape !== 'all') return stage.startCluster(shape === 'one' ? 1 : 2);
  const one = stage.start('all');
  await one.ready;
  return { workers: [one] };
}

async function countedWith(stage: Stage, { shard, workers, what }: Crew & { what: What }): Promise<Counted> {
  const cpuOf = async (processes: readonly BotProcess[]): Promise<number> =>
    processorTime((await Promise.all(processes.map(({ pid }) => processesOf(pid)))).flat());
  const counters = async () => ({
    at: performance.now(),
    workers: await cpuOf(workers),
    shard: await cpuOf(shard ? [shard] : []),
    sides: (await stage.ask('strain', null)).cpuMs,
  });
  const idleFrom = await counters();
  await sleep(WARM_UP_MS / 2);
  const idleTo = await counters();
  const idleShare = (idleTo.workers - idleFrom.workers) / (idleTo.at - idleFrom.at);
  // The processes are warmed up before they are limited.
  await stage.ask('work', { what, members: MEMBERS[what] * workers.length, partitions: all });
  await sleep(WARM_UP_MS / 2);
  const duties = workers.map(({ pid }) => limitDuty(pid, DUTY));
  try {
    await sleep(WARM_UP_MS);
    await stage.ask('seen', null);
    const from = await counters();
    await sleep(COUNTED_MS);
    const { milliseconds, refused } = await stage.ask('seen', null);
    const to = await counters();
    const [ms, orders] = [to.at - from.at, milliseconds.length];
    const used = to.workers - from.workers;
    return {
      ...{ perSecond: (1_000 * orders) / ms, refused, idleShare, usedShare: used / ms / workers.length / DUTY },
      cpuMs: used / orders,
      ...{ shardCpuMs: (to.shard - from.shard) / orders, sidesCpuMs: (to.sides - from.sides) / orders },
    };
  } finally {
    await Promise.all(duties.map((duty) => duty.end()));
    await stage.ask('rest', null);
  }
}

function report(results: Record<What, Record<Shape, Counted[]>>, rounds: number): void {
  const rows = (['text', 'image'] as const).flatMap((what) => {
    const of = (shape: Shape, pick: (counted: Counted) => number): number[] => results[what][shape].map(pick);
    const ratio = (shape: Shape, pick: (counted: Counted) => number): string =>
      (median(of(shape, pick)) / median(of('one', pick))).toFixed(2);
    return names.map((shape) => [
      `${what} orders, ${shapes[shape]}`,
      range(
        of(shape, ({ perSecond }) => perSecond),
        1,
      ),
      ratio(shape, ({ perSecond }) => perSecond),
      range(
        of(shape, ({ cpuMs }) => cpuMs),
        1,
      ),
      ratio(shape, ({ cpuMs }) => cpuMs),
      `${range(
        of(shape, ({ usedShare }) => 100 * usedShare),
        0,
      )} %`,
      `${range(
        of(shape, ({ idleShare }) => 100 * idleShare),
        1,
      )} %`,
      median(of(shape, ({ shardCpuMs }) => shardCpuMs)).toFixed(1),
      median(of(shape, ({ sidesCpuMs }) => sidesCpuMs)).toFixed(1),
      String(of(shape, ({ refused }) => refused).reduce((sum, count) => sum + count, 0)),
    ]);
  });
  console.log(`
Orders per second with processes that may use ${100 * DUTY} % of a core each; ${rounds} alternating rounds of ${COUNTED_MS / 1_000} s each; median (minimum to maximum).
Ratios to one worker. The CPU is that of the workers, or of \`all\`, and their media processes, and includes what they use without orders, which the column "idle" shows as a share of a core.
If "used" is much less than 100 %, something else was the limit. Targets: ${TARGET} times as many orders, ${CPU_TARGET} times the CPU per order.
`);
  console.log(
    table(['', 'orders/s', 'ratio', 'CPU ms', 'ratio', 'used', 'idle', 'shard ms', 'sides ms', 'refused'], rows),
  );
}
