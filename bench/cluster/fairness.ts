import { setTimeout as sleep } from 'node:timers/promises';
import { range } from '../compare.ts';
import { median, percentile, table } from '../table.ts';
import type { ClusterHarness } from './stage.ts';

/** The gateway runs this many jobs at once; the flood orders many more. */
const JOBS_AT_ONCE = 16;
const FLOODING_MEMBERS = 100;
const FLOOD_WARM_UP_MS = 10_000;
const STEADY_ORDERS = { what: 'text', orders: 20, everyMs: 1_000 } as const;
const TARGET_RATIO = 1.5;

const places = { same: 'in the same partition', other: 'in another partition' } as const;
type Place = keyof typeof places;

interface Delays {
  alone: number[];
  flooded: number[];
  /** Orders per second in the flood. */
  flood: number;
}

/** Measures how much longer the orders of one server take while another one floods the same worker. */
export async function measureFairness(harness: ClusterHarness, rounds: number): Promise<void> {
  const results: Record<Place, Delays[]> = { same: [], other: [] };
  for (let round = 0; round < rounds; round++) {
    const settings = { PARTITIONS: '2', GATEWAY_JOBS_AT_ONCE: String(2 * JOBS_AT_ONCE) };
    await harness.startCluster(1, { settings, partitions: 2 });
    await harness.waitForSessions(1);
    await harness.request('steadyOrders', { ...STEADY_ORDERS, orders: 3, partition: 0 });
    for (const place of Object.keys(places) as Place[]) {
      const alone = await harness.request('steadyOrders', { ...STEADY_ORDERS, partition: 0 });
      await harness.request('work', {
        what: STEADY_ORDERS.what,
        members: FLOODING_MEMBERS,
        partitions: [place === 'same' ? 0 : 1],
      });
      await sleep(FLOOD_WARM_UP_MS);
      await harness.request('takeFigures', null);
      const start = performance.now();
      const flooded = await harness.request('steadyOrders', { ...STEADY_ORDERS, partition: 0 });
      const { milliseconds } = await harness.request('takeFigures', null);
      results[place].push({ alone, flooded, flood: (1_000 * milliseconds.length) / (performance.now() - start) });
      await harness.request('stopWork', null);
    }
    await harness.clear();
  }
  report(results, rounds);
}

function report(results: Record<Place, Delays[]>, rounds: number): void {
  const rows = (Object.keys(places) as Place[]).flatMap((place) =>
    ([0.5, 0.95] as const).map((quantile) => {
      const percentilesOf = (pick: (delays: Delays) => readonly number[]): number[] =>
        results[place].map((delays) => percentile(pick(delays), quantile) / 1_000);
      const [alone, flooded] = [percentilesOf((delays) => delays.alone), percentilesOf((delays) => delays.flooded)];
      return [
        `${places[place]}, ${quantile === 0.5 ? 'median' : 'p95'}`,
        range(alone, 2),
        range(flooded, 2),
        (median(flooded) / median(alone)).toFixed(2),
        range(
          results[place].map(({ flood }) => flood),
          1,
        ),
      ];
    }),
  );
  console.log(`
One worker with two partitions, each of which runs ${JOBS_AT_ONCE} jobs at once. One server orders once a second, alone, and then while ${FLOODING_MEMBERS} members of another server order again as soon as
they have a result. The time from the order to its result, in seconds. Median (minimum to maximum) of ${rounds} rounds. Target: ${TARGET_RATIO} times.
`);
  console.log(table(['the flood is', 'alone s', 'flooded s', 'ratio', 'flood/s'], rows));
}
