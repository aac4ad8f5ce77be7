import { DiscordHarness } from '../discord/discord-harness.ts';
import type { Load } from '../discord/protocol.ts';
import { probeArguments } from '../harness/bot.ts';
import type { ProbeCalls } from '../harness/probe.ts';
import { Remote } from '../harness/program.ts';
import { median, table } from '../table.ts';

const ROUNDS = 3;
const GUILDS = 10_000;
const LOAD: Load = { perSecond: 1_000, seconds: 10 };
const TARGET_RATIO = 1.2;

const variants = { sockets: 'bare @discordjs/ws', bot: 'Atelier' } as const;
type Variant = keyof typeof variants;
const names = Object.keys(variants) as Variant[];

interface Figures {
  cpuMicros: number;
  grownBytes: number;
}

/** Measures what messages cost that are not for the bot, next to a connection that reads nothing of them. */
export async function measureMentions(): Promise<void> {
  const figures: Record<Variant, Figures[]> = { sockets: [], bot: [] };
  const harness = await DiscordHarness.create(GUILDS);
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const variant of names) figures[variant].push(await measureClient(harness, variant));
  } finally {
    await harness.close();
  }
  const count = LOAD.perSecond * LOAD.seconds;
  const cpuOf = (variant: Variant): number => median(figures[variant].map(({ cpuMicros }) => cpuMicros)) / count;
  const rows = names.map((variant) => [
    variants[variant],
    cpuOf(variant).toFixed(1),
    (cpuOf(variant) / cpuOf('sockets')).toFixed(2),
    (median(figures[variant].map(({ grownBytes }) => grownBytes)) / 1_000_000).toFixed(1),
  ]);
  console.log(`
${LOAD.perSecond.toLocaleString('en')} messages a second for ${LOAD.seconds} s, none for the bot, from ${GUILDS.toLocaleString('en')} servers; median of ${ROUNDS} processes. Target: at most ${TARGET_RATIO} times the CPU.
`);
  console.log(table(['', 'CPU µs a message', 'ratio', 'MB more heap afterwards'], rows));
}

async function measureClient(harness: DiscordHarness, variant: Variant): Promise<Figures> {
  const { client } = await harness.startClient(variant, probeArguments);
  const remote = new Remote<ProbeCalls>(client);
  // The first messages compile the code.
  await harness.request('foreign', { ...LOAD, seconds: 1 });
  const before = await remote.call('idleUsage');
  await harness.request('foreign', LOAD);
  const { cpuMicros } = await remote.call('usage');
  const { heapBytes } = await remote.call('idleUsage');
  await harness.stopClient(client);
  return { cpuMicros: cpuMicros - before.cpuMicros, grownBytes: heapBytes - before.heapBytes };
}
