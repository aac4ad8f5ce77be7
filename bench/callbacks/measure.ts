import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { end, messageFrom, start } from '../discord/child.ts';
import type { LoadFigures } from '../discord/orders.ts';
import { median, table } from '../table.ts';
import { percentile } from '../tasks/percentile.ts';
import { Scene } from '../tasks/scene.ts';
import type { FloodFigures, FloodOrder } from './flood.ts';

const PAIRS = 5;
const LIVE_TASKS = 200;
const FORGED_PER_SECOND = 2_000;
const WARM_UP = { perSecond: 50, seconds: 3 };
const LOAD = { perSecond: 50, seconds: 20 };
const TARGET = 1.2;

const ways = { bare: 'a bare HTTP process takes them', bot: 'the bot takes them' } as const;
type Way = keyof typeof ways;
const pair = ['bare', 'bot'] as const;

interface Measured {
  p50: number;
  p99: number;
  missed: number;
  flood: FloodFigures;
}

/** Measures what forged callbacks cost members: the time of acknowledgements while they arrive at the bot, and while they arrive at another process on the machine. */
export async function measureCallbacks(): Promise<void> {
  const results: Record<Way, Measured[]> = { bare: [], bot: [] };
  const bare = start(new URL('bare.ts', import.meta.url));
  const scene = await Scene.open();
  try {
    const { port: barePort } = await messageFrom<{ port: number }>(bare);
    for (let round = 0; round < PAIRS; round++)
      for (const way of round % 2 === 0 ? pair : pair.toReversed()) {
        const port = await freePort();
        results[way].push(await run(scene, port, way === 'bot' ? port : barePort));
      }
  } finally {
    await Promise.all([scene.close(), end(bare)]);
  }
  report(results);
}

async function run(scene: Scene, callbackPort: number, floodedPort: number): Promise<Measured> {
  const { bot } = await scene.enter({
    filling: { tasks: LIVE_TASKS, ageMs: 0 },
    questions: LIVE_TASKS,
    settings: { CALLBACK_URL: `http://127.0.0.1:${callbackPort}/callbacks`, CALLBACK_PORT: String(callbackPort) },
  });
  const flood = start(new URL('flood.ts', import.meta.url));
  flood.send({ port: floodedPort, perSecond: FORGED_PER_SECOND } satisfies FloodOrder);
  await messageFrom(flood);
  await scene.load(WARM_UP);
  const { milliseconds, missed }: LoadFigures = await scene.load(LOAD);
  flood.send({});
  const flooded = await messageFrom<FloodFigures>(flood);
  await end(flood);
  await scene.leave(bot);
  const of = (share: number): number => percentile(milliseconds, share);
  return { p50: of(0.5), p99: of(0.99), missed, flood: flooded };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function report(results: Record<Way, Measured[]>): void {
  const ratio = (pick: (one: Measured) => number): string =>
    median(results.bot.map((one, place) => pick(one) / pick(results.bare[place] ?? one))).toFixed(2);
  const rows = pair.map((way) => {
    const middle = (pick: (one: Measured) => number): number => median(results[way].map(pick));
    const missed = results[way].reduce((sum, one) => sum + one.missed, 0);
    const taken = results[way].flatMap(({ flood }) => Object.entries(flood.answers));
    const answers = [...Map.groupBy(taken, ([status]) => status)].map(
      ([status, all]) => `${status}: ${all.reduce((sum, [, count]) => sum + count, 0).toLocaleString('en')}`,
    );
    return [
      ways[way],
      Math.round(middle(({ flood }) => flood.perSecond)).toLocaleString('en'),
      middle(({ p50 }) => p50).toFixed(2),
      middle(({ p99 }) => p99).toFixed(2),
      String(missed),
      answers.join(', '),
    ];
  });
  const p99s = results.bot.map(({ p99 }, place) => (p99 / (results.bare[place]?.p99 ?? Number.NaN)).toFixed(2));
  console.log(`
${LOAD.perSecond} interactions a second for ${LOAD.seconds} s beside ${LIVE_TASKS} live tasks, while ${FORGED_PER_SECOND.toLocaleString('en')} forged callbacks a second arrive; ${PAIRS} pairs by turns, medians.
Ratio of the pairs' medians: p50 ${ratio(({ p50 }) => p50)}, p99 ${ratio(({ p99 }) => p99)} (each pair: ${p99s.join(', ')}). Target: p99 at most ${TARGET}.
`);
  console.log(table(['', 'forged/s', 'p50 ms', 'p99 ms', 'missed', 'answers'], rows));
}
