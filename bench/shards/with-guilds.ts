import { GatewayIntentBits } from 'discord.js';
import { ClusterHarness } from '../cluster/stage.ts';
import type { BenchServer } from '../cluster/store.ts';
import { messageFrom } from '../discord/child.ts';
import { nodeArguments } from '../harness/bot.ts';
import { launch, stop } from '../harness/program.ts';
import { table } from '../table.ts';
import type { SocketsFigures, SocketsOptions } from './orders.ts';
import { GUILDS_PER_SHARD, nameOf } from './shapes.ts';

const SHARD_COUNTS = [1, 5, 25];
const MAX_CONCURRENCY = 16;
const READY_LIMIT_MS = 300_000;
const MB = 1_000_000;

const intentsOf = { 'intents 0': 0, Guilds: GatewayIntentBits.Guilds } as const;
type Name = keyof typeof intentsOf;

/** Measures the cost of the Guilds intent, whose events the bot does not need. */
export async function measureWithGuilds(server: BenchServer): Promise<void> {
  const rows: string[][] = [];
  let guildBytes = 0;
  for (const shards of SHARD_COUNTS) {
    const guilds = shards * GUILDS_PER_SHARD;
    const options = { guilds, shards, maxConcurrency: MAX_CONCURRENCY, isIdentifyLimited: true, areLarge: true };
    const harness = await ClusterHarness.create(server, options);
    try {
      guildBytes = harness.guildBytes;
      for (const name of Object.keys(intentsOf) as Name[]) {
        const figures = await measureSockets(harness, name, shards);
        rows.push([
          `${nameOf({ shards, processes: 1 })}, ${name}`,
          (figures.ms / 1_000).toFixed(1),
          (figures.cpuMs / 1_000).toFixed(1),
          (figures.residentBytes / MB).toFixed(0),
          (figures.peakBytes / MB).toFixed(0),
          (figures.heapBytes / MB).toFixed(0),
        ]);
        await harness.clear();
      }
    } finally {
      await harness.close();
    }
  }
  console.log(`
The sockets of a shard process alone, with and without the intent for guilds, which the bot does not use. With it, Discord sends a GUILD_CREATE for each server: here
${(guildBytes / 1_000).toFixed(1)} kB with 51 channels and 32 roles, uncompressed, which is read and dropped. max_concurrency ${MAX_CONCURRENCY}; measured until all have arrived.
`);
  console.log(table(['', 'seconds', 'CPU s', 'MB', 'peak MB', 'heap MB'], rows));
}

async function measureSockets(harness: ClusterHarness, name: Name, shards: number): Promise<SocketsFigures> {
  const { DISCORD_API_URL: apiUrl = '', DISCORD_TOKEN: token = '' } = harness.settings;
  const intents = intentsOf[name];
  const guilds = intents === 0 ? 0 : shards * GUILDS_PER_SHARD;
  const options: SocketsOptions = { intents, shards, guilds, storeUrl: await harness.freshStore(), apiUrl, token };
  const sockets = launch(new URL('sockets.ts', import.meta.url), {
    programArguments: [JSON.stringify(options)],
    nodeOptions: nodeArguments,
  });
  try {
    return await messageFrom<SocketsFigures>(sockets, READY_LIMIT_MS);
  } finally {
    await stop(sockets);
  }
}
