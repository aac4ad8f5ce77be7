import { probeArguments } from '../harness/bot.ts';
import type { ProbeCalls, Usage } from '../harness/probe.ts';
import { Remote } from '../harness/program.ts';
import { median, table } from '../table.ts';
import { DiscordHarness } from './discord-harness.ts';

const ROUNDS = 3;
const GUILD_COUNTS = [1, 1_000, 10_000] as const;
const TARGET_MB = 170;

const variants = {
  bot: 'Atelier',
  bare: 'bare discord.js, intents: []',
  guilds: 'bare discord.js, Guilds intent',
} as const;
type Variant = keyof typeof variants;
const names = Object.keys(variants) as Variant[];

/** Measures the memory of each client once it is ready and garbage has been collected. */
export async function measureMemory(): Promise<void> {
  const results = GUILD_COUNTS.map(() => ({ bot: [], bare: [], guilds: [] }) as Record<Variant, Usage[]>);
  for (const [index, guildCount] of GUILD_COUNTS.entries()) {
    const harness = await DiscordHarness.create(guildCount);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (const variant of names) results[index]?.[variant].push(await measureClient(harness, variant));
      }
    } finally {
      await harness.close();
    }
  }
  const cell = (variant: Variant, index: number, pick: (use: Usage) => number): string =>
    (median(results[index]?.[variant].map(pick) ?? []) / 1_000_000).toFixed(0);
  const rows = names.map((variant) => [
    variants[variant],
    ...GUILD_COUNTS.map((_, index) => cell(variant, index, ({ residentBytes }) => residentBytes)),
    cell(variant, GUILD_COUNTS.length - 1, ({ heapBytes }) => heapBytes),
  ]);
  console.log(`
RSS after READY and a garbage collection, in MB of 1,000,000 bytes, median of ${ROUNDS} processes.
The guilds are small (a channel, two roles, one member), and each run has two guilds more than stated. Target at ${GUILD_COUNTS.at(-1)?.toLocaleString('en')}: at most ${TARGET_MB}.
`);
  console.log(
    table(
      [
        'guilds',
        ...GUILD_COUNTS.map((guilds) => guilds.toLocaleString('en')),
        `heap at ${GUILD_COUNTS.at(-1)?.toLocaleString('en')}`,
      ],
      rows,
    ),
  );
}

async function measureClient(harness: DiscordHarness, variant: Variant): Promise<Usage> {
  const { client } = await harness.startClient(variant, probeArguments);
  const memoryUse = await new Remote<ProbeCalls>(client).call('idleUsage');
  await harness.stopClient(client);
  return memoryUse;
}
