import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { end, messageFrom, start } from '../discord/child.ts';
import type { LoadFigures } from '../discord/protocol.ts';
import { median, percentile, table } from '../table.ts';
import { BotHarness } from '../tasks/bot-harness.ts';
import type { FloodFigures, FloodOptions } from './flood.ts';

const PAIR_COUNT = 5;
const LIVE_TASK_COUNT = 200;
const FORGED_PER_SECOND = 2_000;
const WARM_UP = { perSecond: 50, seconds: 3 };
const LOAD = { perSecond: 50, seconds: 20 };
const TARGET_RATIO = 1.2;

const variants = { bare: 'a bare HTTP process receives them', bot: 'the bot receives them' } as const;
type Variant = keyof typeof variants;
const variantNames = ['bare', 'bot'] as const;

interface Measurement {
  p50: number;
  p99: number;
  missed: number;
  flood: FloodFigures;
}

/** Measures how much forged callbacks delay acknowledgements: while the callbacks arrive at the bot, and while they arrive at another process. */
export async function measureCallbacks(): Promise<void> {
  const results: Record<Variant, Measurement[]> = { bare: [], bot: [] };
  const bare = start(new URL('bare.ts', import.meta.url));
  const harness = await BotHarness.open();
  try {
    const { port: barePort } = await messageFrom<{ port: number }>(bare);
    for (let round = 0; round < PAIR_COUNT; round++)
      for (const variant of round % 2 === 0 ? variantNames : variantNames.toReversed()) {
        const port = await freePort();
        results[variant].push(await run(harness, port, variant === 'bot' ? port : barePort));
      }
  } finally {
    await Promise.all([harness.close(), end(bare)]);
  }
  report(results);
}

async function run(harness: BotHarness, callbackPort: number, floodedPort: number): Promise<Measurement> {
  const { bot } = await harness.launchBot({
    storeContent: { tasks: LIVE_TASK_COUNT, ageMs: 0 },
    polls: LIVE_TASK_COUNT,
    settings: { CALLBACK_URL: `http://127.0.0.1:${callbackPort}/callbacks`, CALLBACK_PORT: String(callbackPort) },
  });
  const flood = start(new URL('flood.ts', import.meta.url));
  flood.send({ port: floodedPort, perSecond: FORGED_PER_SECOND } satisfies FloodOptions);
  await messageFrom(flood);
  await harness.load(WARM_UP);
  const { milliseconds, missed }: LoadFigures = await harness.load(LOAD);
  flood.send({});
  const floodFigures = await messageFrom<FloodFigures>(flood);
  await end(flood);
  await harness.stopBot(bot);
  const percentileOf = (quantile: number): number => percentile(milliseconds, quantile);
  return { p50: percentileOf(0.5), p99: percentileOf(0.99), missed, flood: floodFigures };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function report(results: Record<Variant, Measurement[]>): void {
  const ratio = (pick: (one: Measurement) => number): string =>
    median(results.bot.map((one, index) => pick(one) / pick(results.bare[index] ?? one))).toFixed(2);
  const rows = variantNames.map((variant) => {
    const medianOf = (pick: (one: Measurement) => number): number => median(results[variant].map(pick));
    const missed = results[variant].reduce((sum, one) => sum + one.missed, 0);
    const statusCounts = results[variant].flatMap(({ flood }) => Object.entries(flood.answers));
    const answers = [...Map.groupBy(statusCounts, ([status]) => status)].map(
      ([status, all]) => `${status}: ${all.reduce((sum, [, count]) => sum + count, 0).toLocaleString('en')}`,
    );
    return [
      variants[variant],
      Math.round(medianOf(({ flood }) => flood.perSecond)).toLocaleString('en'),
      medianOf(({ p50 }) => p50).toFixed(2),
      medianOf(({ p99 }) => p99).toFixed(2),
      String(missed),
      answers.join(', '),
    ];
  });
  const p99s = results.bot.map(({ p99 }, index) => (p99 / (results.bare[index]?.p99 ?? Number.NaN)).toFixed(2));
  console.log(`
${LOAD.perSecond} interactions a second for ${LOAD.seconds} s with ${LIVE_TASK_COUNT} live tasks, while ${FORGED_PER_SECOND.toLocaleString('en')} forged callbacks a second arrive; medians of ${PAIR_COUNT} alternating pairs.
Median of the pairs' ratios: p50 ${ratio(({ p50 }) => p50)}, p99 ${ratio(({ p99 }) => p99)} (each pair: ${p99s.join(', ')}). Target: p99 at most ${TARGET_RATIO}.
`);
  console.log(table(['', 'forged/s', 'p50 ms', 'p99 ms', 'missed', 'responses'], rows));
}
