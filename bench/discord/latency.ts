import { median, table } from '../table.ts';
import { EDIT_GRACE_MS, type Load, type LoadFigures } from './orders.ts';
import { Stage } from './stage.ts';

const ROUNDS = 3;
/** As fast as a default client can edit without a queue, so none is left when the measurement begins. */
const WARM_UP: Load = { perSecond: 50, seconds: 3 };
const HEAVY: Load = { perSecond: 200, seconds: 3 };
const LOADS: readonly Load[] = [{ perSecond: 1, seconds: 3 }, { perSecond: 50, seconds: 6 }, HEAVY];
const TARGET = 1.5;

const variants = { bare: 'bare discord.js', eager: 'bare, no limit on edits', bot: 'Atelier (/models)' } as const;
type Way = keyof typeof variants;
const names = Object.keys(variants) as Way[];

/** Measures the latency for the same members at the same pace, alternating between a bare client and the shipped bot. */
export async function measureLatency(): Promise<void> {
  const results = LOADS.map(() => ({ bare: [], eager: [], bot: [] }) as Record<Way, LoadFigures[]>);
  const stage = await Stage.open();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const variant of names) {
        const { client } = await stage.enter(variant);
        await stage.ask('load', WARM_UP);
        for (const [at, load] of LOADS.entries()) {
          // The limit binds a default client only if there are many edits.
          if (variant === 'eager' && load !== HEAVY) continue;
          results[at]?.[variant].push(await stage.ask('load', load));
        }
        await stage.leave(client);
      }
    }
  } finally {
    await stage.close();
  }
  report(results);
}

function report(results: readonly Record<Way, LoadFigures[]>[]): void {
  const rows = LOADS.flatMap(({ perSecond, seconds }, at) => {
    const figures = results[at];
    if (!figures) return [];
    // A single round has too few slow responses for a percentile: two or three of them would determine its p99.
    const all = (variant: Way, share: number): number =>
      percentile(
        figures[variant].flatMap(({ milliseconds }) => milliseconds),
        share,
      );
    const shown = names.filter((variant) => figures[variant].length > 0);
    return shown.map((variant) => [
      `${perSecond}/s, ${variants[variant]}`,
      String(figures[variant].reduce((sum, { milliseconds }) => sum + milliseconds.length, 0)),
      all(variant, 0.5).toFixed(2),
      (all(variant, 0.5) / all('bare', 0.5)).toFixed(2),
      all(variant, 0.99).toFixed(2),
      (all(variant, 0.99) / all('bare', 0.99)).toFixed(2),
      String(figures[variant].reduce((sum, { missed }) => sum + missed, 0)),
      `${median(figures[variant].map(({ edited }) => (100 * edited) / (perSecond * seconds))).toFixed(0)} %`,
    ]);
  });
  console.log(`
From INTERACTION_CREATE sent to callback received, on the embedded Discord's clock, in ${ROUNDS} alternating rounds; at 1/s the 99th
percentile is the slowest of all. "Edited" is the share of answers that arrived within ${EDIT_GRACE_MS} ms of a round's last interaction:
a default client sends only 50 edits a second, and therefore has less to do than one without that limit, or the bot.
Target: ratio at most ${TARGET}.
`);
  console.log(table(['', 'taken', 'p50 ms', 'ratio', 'p99 ms', 'ratio', 'missed', 'edited'], rows));
}

/** The smallest value that at least this share of all values does not exceed. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
