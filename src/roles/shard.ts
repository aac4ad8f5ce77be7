import { handlers, kindSpecs } from '../commands/index.ts';
import type { Config } from '../config.ts';
import { createDiscordClients, intentsOf } from '../discord/outbox/clients.ts';
import { loadIdentity } from '../discord/outbox/identity.ts';
import { Outbox } from '../discord/outbox/outbox.ts';
import { requireMessageContent } from '../discord/reads.ts';
import { openShards, type Shards } from '../discord/shards/open-shards.ts';
import { ShardInbox } from '../discord/shards/shard-inbox.ts';
import { UntakenInteractions } from '../discord/shards/untaken.ts';
import { type Clock, pause, systemClock } from '../lib/clock.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { openEveryPartition } from '../services/cluster/every-partition.ts';
import { openFollowedThreads } from '../services/cluster/followed-threads.ts';
import { openCluster } from '../services/cluster/open-cluster.ts';
import { soleOwnership } from '../services/store/lease.ts';
import type { AppTools, RunningRole } from './app.ts';

const CONNECTION_CHECK_INTERVAL_MS = 100;

/** A process that receives interactions from Discord, and passes each on to the partition that answers it. */
export async function startShard(
  config: Config,
  tools: AppTools,
  monitoring: Monitoring | undefined,
): Promise<RunningRole> {
  const { log, version, clock = systemClock } = tools;
  const { discord } = config;
  await using resources = new AsyncDisposableStack();
  const cluster = await openCluster({ clock, log }, config, {
    version,
    specs: kindSpecs,
    onUse: monitoring?.onStoreUse,
  });
  resources.defer(cluster.close);
  const { partitions } = cluster;
  const clients = createDiscordClients(discord.apiUrl);
  resources.defer(clients.close);
  const { reads } = clients;
  const everyPartition = openEveryPartition(cluster);
  const untaken = new UntakenInteractions({
    ...cluster,
    outbox: new Outbox(clients, log),
    handlers,
    settings: config,
    privateCommandsOf: async (guildId) => [
      ...config.rules.privateCommands,
      ...(await everyPartition.rulesOf(guildId)).rules.privateCommands,
    ],
    earlyPreferences: ({ userId: memberId, ...place }) => everyPartition.earlyPreferences({ ...place, memberId }),
    onUntaken: monitoring?.onUntaken,
  });
  resources.defer(() => untaken.finish());
  await loadIdentity(clients, discord.token);
  if (discord.messageContent) await requireMessageContent(reads, discord.token, log);
  const threads = discord.messageContent ? await openFollowedThreads(cluster) : undefined;
  resources.defer(() => threads?.close());
  const mentioned = discord.mentions ? clients.identity : undefined;
  const shardInbox = new ShardInbox({ ...cluster, untaken, threads, mentioned, onHandOver: monitoring?.onHandOver });
  const shards = await openShards({
    ...cluster,
    token: discord.token,
    reads,
    intents: intentsOf(discord),
    shardCount: config.cluster.shards,
    onDispatch: (packet) => shardInbox.pass(packet),
  });
  resources.defer(shards.close);
  monitoring?.readiness.watch({
    hasStarted: () => true,
    isDiscordReady: () => shards.isConnected(),
    ownership: { ...soleOwnership, trouble: () => partitions.trouble() },
    isStoreFailing: () => false,
    gateways: () => [],
  });
  monitoring?.watchDiscord(clients);
  monitoring?.watchPartitions(partitions.count, () => partitions.owners());
  monitoring?.watchShards(shards, () => threads?.count ?? 0);
  void waitUntilConnected(shards, clock).then(() =>
    log.info({ version, shards: shards.count, partitions: partitions.count }, 'This shard process is ready.'),
  );
  const opened = resources.move();
  return {
    connectionLost: shards.fatalCloseCode,
    storeLost: shards.lost,
    cluster,
    // A shard reads what it uses each time.
    prepareReload: async () => undefined,
    applyReload: async () => undefined,
    async stop() {
      await opened.disposeAsync();
      log.info('This shard process has stopped.');
    },
  };
}

async function waitUntilConnected(shards: Shards, clock: Clock): Promise<void> {
  while (!shards.isConnected()) await pause(clock, CONNECTION_CHECK_INTERVAL_MS);
}
