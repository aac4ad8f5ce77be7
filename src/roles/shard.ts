import { GatewayDispatchEvents, type GatewayDispatchPayload, type GatewayMessageCreateDispatch } from 'discord.js';
import { handlers, kindSpecs, say } from '../commands/index.ts';
import type { Config } from '../config.ts';
import { createDiscordClients, intentsOf } from '../discord/outbox/clients.ts';
import { loadIdentity } from '../discord/outbox/identity.ts';
import { Outbox } from '../discord/outbox/outbox.ts';
import { requireMessageContent } from '../discord/reads.ts';
import { connectShards, type Shards } from '../discord/shards/open-shards.ts';
import { routingBucketOf } from '../discord/shards/routing.ts';
import { UntakenInteractions } from '../discord/shards/untaken.ts';
import { threadPacketIn } from '../discord/thread-message.ts';
import { type Clock, isDoneWithin, pause, systemClock } from '../lib/clock.ts';
import { once } from '../lib/once.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { EveryPartition } from '../services/cluster/every-partition.ts';
import { FollowedThreads } from '../services/cluster/followed-threads.ts';
import { openCluster } from '../services/cluster/open-cluster.ts';
import { partitionOf } from '../services/tasks/homes.ts';
import type { App, AppTools } from './app.ts';

/** A queue server that does not respond must not use up the member's three seconds. */
const PUT_TIMEOUT_MS = 1_500;
const CONNECTION_CHECK_INTERVAL_MS = 100;

/** A process that receives interactions from Discord, and passes each on to the partition that answers it. */
export async function startShard(config: Config, tools: AppTools, monitoring: Monitoring | undefined): Promise<App> {
  const { log, version, clock = systemClock } = tools;
  const { onStoreUse: onUse } = monitoring ?? {};
  const cluster = await openCluster(config, { log, clock, version, specs: kindSpecs, onUse });
  const { partitions, inbox } = cluster;
  const clients = createDiscordClients(config.discord.apiUrl);
  const { client, reads } = clients;
  const outbox = new Outbox(clients, log);
  const everyPartition = new EveryPartition(cluster);
  const untakenInteractions = new UntakenInteractions({
    inbox,
    outbox,
    handlers,
    say,
    clock,
    log,
    settings: config,
    privateCommandsOf: async (guildId) => [
      ...config.rules.privateCommands,
      ...(await everyPartition.rulesOf(guildId)).rules.privateCommands,
    ],
    onUntaken: (outcome) => monitoring?.onUntaken(outcome),
  });

  /** Every message from every server arrives here. A failure is retried by the caller; a message that is queued twice is answered once. */
  async function passMessage(packet: GatewayMessageCreateDispatch): Promise<void> {
    const partition = threads?.partitionOf(packet.d.channel_id);
    const content = partition === undefined ? undefined : threadPacketIn(packet);
    if (partition === undefined || !content) return;
    try {
      const put = inbox.put(partition, { id: content.d.id, content });
      if (!(await isDoneWithin(clock, PUT_TIMEOUT_MS, put))) throw new Error('The queue does not respond.');
    } catch (error) {
      monitoring?.onHandOver('message', 'failed');
      throw error;
    }
    monitoring?.onHandOver('message', 'passed');
  }

  async function passOn(packet: GatewayDispatchPayload): Promise<void> {
    if (packet.t === GatewayDispatchEvents.MessageCreate) return passMessage(packet);
    if (packet.t !== GatewayDispatchEvents.InteractionCreate) return;
    const partition = partitionOf(routingBucketOf(packet.d), partitions.count);
    const put = inbox.put(partition, { id: packet.d.id, content: packet });
    const isPut = await isDoneWithin(clock, PUT_TIMEOUT_MS, put).catch((error: unknown) => {
      log.warn({ partition, err: error }, 'An interaction could not be passed on.');
      return false;
    });
    monitoring?.onHandOver('interaction', isPut ? 'passed' : 'failed');
    if (isPut) untakenInteractions.watch(partition, packet);
    else await untakenInteractions.refuse(packet);
  }

  let threads: FollowedThreads | undefined;
  try {
    await loadIdentity(client, config.discord.token);
    const { discord, cluster: settings } = config;
    if (discord.messageContent) {
      await requireMessageContent(reads, discord.token, log);
      threads = await FollowedThreads.open(cluster);
    }
    const shards = await connectShards({
      ...cluster,
      token: discord.token,
      reads,
      intents: intentsOf(discord),
      shardCount: settings.shards,
      onDispatch: passOn,
    });
    monitoring?.readiness.watch({
      isDiscordReady: () => shards.isConnected(),
      store: { mustBeOurs: () => undefined, trouble: () => partitions.trouble(), unsaved: () => 0 },
      // A shard process sends no requests to the gateway.
      gateway: { answeredAt: () => clock.now(), ping: async () => undefined },
    });
    monitoring?.watchDiscord(clients);
    monitoring?.watchPartitions(partitions.count, () => partitions.owners());
    monitoring?.watchShards(shards, () => threads?.count ?? 0);
    void waitUntilConnected(shards, clock).then(() =>
      log.info({ version, shards: shards.count, partitions: partitions.count }, 'This shard process is ready.'),
    );
    return {
      connectionLost: shards.fatalCloseCode,
      storeLost: shards.lost,
      stop: once(async () => {
        monitoring?.markStopping();
        await shards.close();
        threads?.close();
        await untakenInteractions.finish();
        await Promise.all([clients.close(), cluster.close()]);
        await monitoring?.close();
        log.info('This shard process has stopped.');
      }),
    };
  } catch (error) {
    threads?.close();
    await Promise.all([clients.close(), cluster.close()]);
    throw error;
  }
}

async function waitUntilConnected(shards: Shards, clock: Clock): Promise<void> {
  while (!shards.isConnected()) await pause(clock, CONNECTION_CHECK_INTERVAL_MS);
}
