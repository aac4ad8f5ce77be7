import { median, percentile, table } from '../table.ts';
import { DiscordHarness } from './discord-harness.ts';
import { EDIT_GRACE_MS, type Load, type LoadFigures } from './protocol.ts';

const ROUNDS = 3;
/** As fast as a default client can edit without queueing, so no queue is left when the measurement begins. */
const WARM_UP: Load = { perSecond: 50, seconds: 3 };
const HEAVY_LOAD: Load = { perSecond: 200, seconds: 3 };
const LOADS: readonly Load[] = [{ perSecond: 1, seconds: 3 }, { perSecond: 50, seconds: 6 }, HEAVY_LOAD];
const TARGET_RATIO = 1.5;

const variants = { bare: 'bare discord.js', eager: 'bare, no limit on edits', bot: 'Atelier (/models)' } as const;
type Variant = keyof typeof variants;
const names = Object.keys(variants) as Variant[];

/** Measures the latency for the same members at the same pace, alternating between a bare client and the shipped bot. */
export async function measureLatency(): Promise<void> {
  const results = LOADS.map(() => ({ bare: [], eager: [], bot: [] }) as Record<Variant, LoadFigures[]>);
  const harness = await DiscordHarness.create();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const variant of names) {
        const { client } = await harness.startClient(variant);
        await harness.request('load', WARM_UP);
        for (const [index, load] of LOADS.entries()) {
          // The limit binds a default client only if there are many edits.
          if (variant === 'eager' && load !== HEAVY_LOAD) continue;
          results[index]?.[variant].push(await harness.request('load', load));
        }
        await harness.stopClient(client);
      }
    }
  } finally {
    await harness.close();
  }
  report(results);
}

function report(results: readonly Record<Variant, LoadFigures[]>[]): void {
  const rows = LOADS.flatMap(({ perSecond, seconds }, index) => {
    const figures = results[index];
    if (!figures) return [];
    // A single round has too few slow responses for a percentile: two or three of them would determine its p99.
    const percentileOf = (variant: Variant, quantile: number): number =>
      percentile(
        figures[variant].flatMap(({ milliseconds }) => milliseconds),
        quantile,
      );
    const shownVariants = names.filter((variant) => figures[variant].length > 0);
    return shownVariants.map((variant) => [
      `${perSecond}/s, ${variants[variant]}`,
      String(figures[variant].reduce((sum, { milliseconds }) => sum + milliseconds.length, 0)),
      percentileOf(variant, 0.5).toFixed(2),
      (percentileOf(variant, 0.5) / percentileOf('bare', 0.5)).toFixed(2),
      percentileOf(variant, 0.99).toFixed(2),
      (percentileOf(variant, 0.99) / percentileOf('bare', 0.99)).toFixed(2),
      String(figures[variant].reduce((sum, { missed }) => sum + missed, 0)),
      `${median(figures[variant].map(({ edited }) => (100 * edited) / (perSecond * seconds))).toFixed(0)}%`,
    ]);
  });
  console.log(`
From INTERACTION_CREATE sent to callback received, on the embedded Discord's clock, in ${ROUNDS} alternating rounds; at 1/s the 99th
percentile is the slowest of all. "Edited" is the share of replies that were edited within ${EDIT_GRACE_MS} ms of a round's last interaction:
a default client sends only 50 edits a second, and therefore has less to do than the bot, or a client without that limit.
Target: ratio at most ${TARGET_RATIO}.
`);
  console.log(table(['', 'acknowledged', 'p50 ms', 'ratio', 'p99 ms', 'ratio', 'missed', 'edited'], rows));
}
