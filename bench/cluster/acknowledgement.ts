import { range } from '../compare.ts';
import { median, percentile, table } from '../table.ts';
import type { LoadFigures } from './orders.ts';
import { type QueueFigures, queueFigures } from './queue.ts';
import { type ClusterHarness, PARTITIONS } from './stage.ts';

const WARM_UP = { perSecond: 20, seconds: 3 };
const LOADS = [
  { perSecond: 20, seconds: 15 },
  { perSecond: 60, seconds: 10 },
] as const;

interface Figures {
  all: LoadFigures[];
  cluster: LoadFigures[];
  queue: QueueFigures[];
}

/** Measures the latency for the same members at the same pace, alternating between a single process and a shard process with a worker. */
export async function measureAcknowledgement(harness: ClusterHarness, rounds: number): Promise<void> {
  const results: Figures[] = LOADS.map(() => ({ all: [], cluster: [], queue: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const variant of round % 2 === 0 ? (['all', 'cluster'] as const) : (['cluster', 'all'] as const)) {
      if (variant === 'all') await harness.start('all').ready;
      else await harness.startCluster(1);
      await harness.waitForSessions(1);
      await harness.request('load', WARM_UP);
      for (const [index, load] of LOADS.entries()) results[index]?.[variant].push(await harness.request('load', load));
      await harness.clear();
    }
    for (const [index, load] of LOADS.entries())
      results[index]?.queue.push(await queueFigures({ url: await harness.freshStore(), partitions: PARTITIONS, load }));
  }
  report(results, rounds);
}

function report(results: readonly Figures[], rounds: number): void {
  const rows = LOADS.flatMap(({ perSecond }, index) => {
    const { all, cluster, queue } = results[index] ?? { all: [], cluster: [], queue: [] };
    const percentilesOf = (figures: readonly LoadFigures[], quantile: number): number[] =>
      figures.map(({ milliseconds }) => percentile(milliseconds, quantile));
    const missed = (figures: readonly LoadFigures[]): string =>
      String(figures.reduce((sum, figure) => sum + figure.missed, 0));
    const ratio = (quantile: number): string =>
      (median(percentilesOf(cluster, quantile)) / median(percentilesOf(all, quantile))).toFixed(2);
    const row = (name: string, p50: readonly number[], p99: readonly number[], otherCells: readonly string[]) => [
      `${perSecond}/s, ${name}`,
      range(p50, 1),
      otherCells[0] ?? '',
      range(p99, 1),
      otherCells[1] ?? '',
      otherCells[2] ?? '',
    ];
    const medians = queue.map((one) => one.median);
    const p99s = queue.map((one) => one.p99);
    return [
      row('all', percentilesOf(all, 0.5), percentilesOf(all, 0.99), ['', '', missed(all)]),
      row('shard and worker', percentilesOf(cluster, 0.5), percentilesOf(cluster, 0.99), [
        ratio(0.5),
        ratio(0.99),
        missed(cluster),
      ]),
      row('the inbox alone', medians, p99s, []),
    ];
  });
  console.log(`
From INTERACTION_CREATE sent to callback received, on the embedded Discord's clock, for \`/models\` in 400 servers in turn. "The inbox alone" is the time from putting
a packet into the inbox to taking it out, between two processes that do nothing else. ${rounds} alternating rounds, each with its own percentiles; median (minimum to maximum).
`);
  console.log(table(['', 'p50 ms', 'ratio', 'p99 ms', 'ratio', 'missed'], rows));
}
