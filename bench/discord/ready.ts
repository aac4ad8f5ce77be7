import { alternate, comparison, medianOf, number, ratioOf } from '../compare.ts';
import { DiscordHarness } from './discord-harness.ts';

const ROUNDS = 5;

const variants = { bare: 'bare discord.js', bot: 'Atelier (src/index.ts)' } as const;

/** Measures the time from the start of a process until the embedded Discord has sent it READY. */
export async function measureReady(): Promise<void> {
  const harness = await DiscordHarness.create();
  try {
    const results = await alternate(variants, ROUNDS, async (variant) => {
      const { client, readyMs } = await harness.startClient(variant);
      await harness.stopClient(client);
      return readyMs;
    });
    console.log(
      `\nFrom process start to READY, median of ${ROUNDS}; Atelier is started the way npm start does it, with a warm compile cache:\n`,
    );
    console.log(
      comparison(variants, results, [
        ['ms', medianOf((ms) => ms)],
        ['ratio', ratioOf((ms) => ms)],
        ['min', (all) => number(Math.min(...all))],
        ['max', (all) => number(Math.max(...all))],
      ]),
    );
  } finally {
    await harness.close();
  }
}
