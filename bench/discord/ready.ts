import { median, table } from '../table.ts';
import { DiscordHarness } from './discord-harness.ts';

const ROUNDS = 5;

const variants = { bare: 'bare discord.js', bot: 'Atelier (src/index.ts)' } as const;
type Variant = keyof typeof variants;

/** Measures the time from the start of a process until the embedded Discord has sent it READY. */
export async function measureReady(): Promise<void> {
  const results: Record<Variant, number[]> = { bare: [], bot: [] };
  const harness = await DiscordHarness.create();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const variant of ['bare', 'bot'] as const) {
        const { client, readyMs } = await harness.startClient(variant);
        results[variant].push(readyMs);
        await harness.stopClient(client);
      }
    }
  } finally {
    await harness.close();
  }
  const rows = (Object.keys(variants) as Variant[]).map((variant) => [
    variants[variant],
    median(results[variant]).toFixed(0),
    (median(results[variant]) / median(results.bare)).toFixed(2),
    Math.min(...results[variant]).toFixed(0),
    Math.max(...results[variant]).toFixed(0),
  ]);
  console.log(
    `\nFrom process start to READY, median of ${ROUNDS}; Atelier is started the way npm start does it, with a warm compile cache:\n`,
  );
  console.log(table(['', 'ms', 'ratio', 'min', 'max'], rows));
}
