import { median, table } from '../table.ts';
import { Stage } from './stage.ts';

const ROUNDS = 5;

const ways = { bare: 'bare discord.js', bot: 'Atelier (src/index.ts)' } as const;
type Way = keyof typeof ways;

/** Measures the time from the start of a process until the embedded Discord has sent it READY. */
export async function measureReady(): Promise<void> {
  const results: Record<Way, number[]> = { bare: [], bot: [] };
  const stage = await Stage.open();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const way of ['bare', 'bot'] as const) {
        const { client, readyAfter } = await stage.enter(way);
        results[way].push(readyAfter);
        await stage.leave(client);
      }
    }
  } finally {
    await stage.close();
  }
  const rows = (Object.keys(ways) as Way[]).map((way) => [
    ways[way],
    median(results[way]).toFixed(0),
    (median(results[way]) / median(results.bare)).toFixed(2),
    Math.min(...results[way]).toFixed(0),
    Math.max(...results[way]).toFixed(0),
  ]);
  console.log(
    `\nProcess started to READY, median of ${ROUNDS}; Atelier started as npm start does it, with what an earlier start has compiled:\n`,
  );
  console.log(table(['', 'ms', 'ratio', 'least', 'max'], rows));
}
