import { median, table } from '../table.ts';
import { messageFrom } from './child.ts';
import { Stage } from './stage.ts';
import type { Weight } from './weigh.ts';

const ROUNDS = 3;
const GUILDS = [1, 1_000, 10_000] as const;
const TARGET_MB = 170;

const ways = {
  bot: 'Atelier',
  bare: 'bare discord.js, intents: []',
  guilds: 'bare discord.js, Guilds intent',
} as const;
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];

/** Measures the memory of each client once it is ready and nothing is left to collect. */
export async function measureMemory(): Promise<void> {
  const results = GUILDS.map(() => ({ bot: [], bare: [], guilds: [] }) as Record<Way, Weight[]>);
  for (const [at, guilds] of GUILDS.entries()) {
    const stage = await Stage.open(guilds);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (const way of names) results[at]?.[way].push(await weight(stage, way));
      }
    } finally {
      await stage.close();
    }
  }
  const cell = (way: Way, at: number, pick: (weight: Weight) => number): string =>
    (median(results[at]?.[way].map(pick) ?? []) / 1_000_000).toFixed(0);
  const rows = names.map((way) => [
    ways[way],
    ...GUILDS.map((_, at) => cell(way, at, ({ residentBytes }) => residentBytes)),
    cell(way, GUILDS.length - 1, ({ heapBytes }) => heapBytes),
  ]);
  console.log(`
RSS after READY and a collection, in MB of 1,000,000 bytes, median of ${ROUNDS} processes.
The guilds are small (a channel, two roles, one member), and each run has two more than stated. Target at ${GUILDS.at(-1)?.toLocaleString('en')}: at most ${TARGET_MB}.
`);
  console.log(
    table(
      [
        'guilds',
        ...GUILDS.map((guilds) => guilds.toLocaleString('en')),
        `heap at ${GUILDS.at(-1)?.toLocaleString('en')}`,
      ],
      rows,
    ),
  );
}

async function weight(stage: Stage, way: Way): Promise<Weight> {
  const weigher = new URL('weigh.ts', import.meta.url).href;
  const { client } = await stage.enter(way, ['--expose-gc', '--import', weigher]);
  client.send('weigh');
  const weighed = await messageFrom<Weight>(client);
  await stage.leave(client);
  return weighed;
}
