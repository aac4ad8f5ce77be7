import { kindSpecs, kindsOf } from '../commands/index.ts';
import type { Config } from '../config.ts';
import { createDiscordClients } from '../discord/outbox/clients.ts';
import { loadIdentity } from '../discord/outbox/identity.ts';
import { clusterHealth } from '../discord/shards/cluster-health.ts';
import { PacketHandler } from '../discord/shards/packets.ts';
import { systemClock } from '../lib/clock.ts';
import { once } from '../lib/once.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { openClusterCallbacks } from '../services/cluster/cluster-callbacks.ts';
import { EveryPartition } from '../services/cluster/every-partition.ts';
import { ThreadAnnouncer } from '../services/cluster/followed-threads.ts';
import { Membership } from '../services/cluster/membership.ts';
import { openCluster } from '../services/cluster/open-cluster.ts';
import { HealthPublisher } from '../services/cluster/partition-health.ts';
import { recentNotes } from '../services/cluster/recent-notes.ts';
import { GatewayConnections } from '../services/gateway/connections.ts';
import { createGateway } from '../services/gateway/gateway.ts';
import { MediaProcess, MIN_MEDIA_MEMORY_BYTES } from '../services/media/media-process.ts';
import type { ReadinessSources } from '../services/operations/readiness.ts';
import { ProcessLimits } from '../services/orders/process-limits.ts';
import { Tracker } from '../services/orders/tracker.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { StoreError } from '../services/tasks/store-error.ts';
import type { App, AppTools } from './app.ts';
import { type Bot, createBot } from './bot.ts';

/** Discord allows a bot 50 requests per second, of which the shard processes need a few. */
const REQUESTS_PER_SECOND = 45;

interface RunningPartition {
  bot: Bot;
  inbox: { close(): Promise<void> };
}

/**
 * A process that answers what shard processes receive: for each partition that it owns, it runs a bot with the partition's store, and hands it the
 * partition's packets.
 */
export async function startWorker(config: Config, tools: AppTools, monitoring: Monitoring | undefined): Promise<App> {
  const { log, version, clock = systemClock, mediaProcess: sharedMediaProcess } = tools;
  const context = { clock, log };
  const { onStoreUse: onUse } = monitoring ?? {};
  const cluster = await openCluster(context, config, { version, specs: kindSpecs, onUse });
  const { partitions, inbox } = cluster;
  const { count } = partitions;
  const everyPartition = new EveryPartition(cluster);
  const mediaProcess = sharedMediaProcess ?? new MediaProcess({ clock: systemClock, log });
  const threads = config.discord.messageContent ? new ThreadAnnouncer(cluster) : undefined;
  const notes = recentNotes(cluster.facts, clock);
  const runningPartitions = new Map<number, RunningPartition>();
  const ownedStores = new Map<number, StoredTasks>();
  const limits = new ProcessLimits(config, { ...context, partitionCount: count });
  const tracker = new Tracker(clock, count);
  // All partitions share these lanes, so the lanes stay when a partition is released.
  const connections = new GatewayConnections(config.gateway, tools.gatewayLimits);
  const pollGateway = createGateway(config.gateway, { ...context, connections }, tools.gatewayLimits);
  for (const { source } of kindsOf(pollGateway, { ...config.poll, ...config.gateway }))
    if (source) tracker.laneOf(source);
  limits.scheduler.start();
  const assertAllOwned = (): void => {
    for (const { ownership } of ownedStores.values()) ownership.assertOwned();
  };
  // A worker has no connection to Discord that could be lost: packets wait in the inbox.
  const clients = {
    ...createDiscordClients(config.discord.apiUrl, undefined, assertAllOwned),
    isConnected: () => true,
  };
  const closeAll = async (): Promise<void> => {
    await callbacks?.close();
    await limits.scheduler.stop();
    await Promise.all([
      pollGateway.close().then(() => connections.close()),
      clients.close(),
      mediaProcess !== sharedMediaProcess && mediaProcess.close(),
    ]);
    await cluster.close();
  };

  function shareLimits(): void {
    const ownedPartitions = [...ownedStores.keys()];
    limits.setOwnedPartitions(ownedPartitions);
    connections.setCount(limits.connectionCount(ownedPartitions));
    const mediaMemoryBytes = (config.media.memoryBytes * ownedStores.size) / count;
    mediaProcess.setMemoryBytes(Math.max(MIN_MEDIA_MEMORY_BYTES, mediaMemoryBytes));
    clients.setRequestsPerSecond((REQUESTS_PER_SECOND * ownedStores.size) / count);
  }

  async function takePartition(number: number, store: StoredTasks): Promise<boolean> {
    ownedStores.set(number, store);
    shareLimits();
    monitoring?.onOwnerChange('taken');
    const bot = createBot({
      config,
      tools: { ...tools, mediaProcess },
      store,
      clients,
      monitoring,
      cluster: {
        partition: { number, count },
        others: everyPartition.otherPartitions(number),
        notes,
        tracker,
        limits,
        connections,
        callbackUrls: callbacks?.addresses,
        clusterHealth: () => clusterHealth(cluster, ownHealth()),
      },
    });
    monitoring?.watchBot(bot);
    try {
      await bot.open();
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'unreachable') throw error;
      log.warn({ partition: number, err: error }, 'A partition could not be read; retrying.');
      monitoring?.onOwnerChange('given-back');
      ownedStores.delete(number);
      shareLimits();
      await bot.abandon();
      return false;
    }
    threads?.watch(bot.domains.tasks.book, number);
    await bot.start();
    // One announcement for the whole cluster is enough.
    if (number === 0) {
      void bot.checkGateway();
      bot.announce();
    }
    const packets = new PacketHandler({ ...bot, ...context });
    runningPartitions.set(number, { bot, inbox: inbox.consume(number, (packet) => packets.handle(packet)) });
    return true;
  }

  async function releasePartition(number: number): Promise<void> {
    const { bot, inbox: takenInbox } = runningPartitions.get(number) ?? {};
    const inboxClosed = takenInbox?.close();
    await bot?.finish();
    monitoring?.onOwnerChange('given-back');
    // After this, the partition's lease is released, and its loss must not stop the requests of the other partitions.
    ownedStores.delete(number);
    shareLimits();
    runningPartitions.delete(number);
    await bot?.close();
    await inboxClosed;
  }

  const ownHealth = () => new Map([...runningPartitions].map(([partition, { bot }]) => [partition, bot.health()]));
  const bots = (): Bot[] => [...runningPartitions.values()].map(({ bot }) => bot);
  const readinessSources = (): ReadinessSources => ({
    isDiscordReady: clients.isConnected,
    store: {
      mustBeOurs: assertAllOwned,
      trouble: () => partitions.trouble(),
      unsaved: () => bots().reduce((sum, bot) => sum + bot.watched.store.unsaved(), 0),
    },
    gateway: {
      answeredAt: () => latest(bots().map((bot) => bot.watched.gateway.answeredAt())),
      // A worker without a partition sends no requests to the gateway.
      ping: async (signal) => bots()[0]?.watched.gateway.ping(signal),
    },
  });
  let callbacks: Awaited<ReturnType<typeof openClusterCallbacks>>;
  let membership: Membership;
  try {
    monitoring?.readiness.watch(readinessSources());
    monitoring?.watchDiscord(clients);
    monitoring?.watch({ bots, scheduler: limits.scheduler, mediaProcess, storeAddress: config.store });
    monitoring?.watchPartitions(count, () => partitions.owners());
    monitoring?.watchWorker(
      () => [...runningPartitions.keys()],
      (partition) => inbox.waitingCount(partition),
    );
    await loadIdentity(clients, config.discord.token);
    callbacks = await openClusterCallbacks(config.callbacks, cluster, {
      ownCallbacks: (partition) => runningPartitions.get(partition)?.bot.domains.orders.callbacks,
      onOutcome: monitoring?.onCallback,
    });
    membership = await Membership.join({ ...cluster, onTaken: takePartition, onGiveBack: releasePartition });
  } catch (error) {
    await closeAll();
    throw error;
  }
  const health = new HealthPublisher(cluster, ownHealth);
  log.info({ version, partitions: count }, 'This worker is ready.');

  return {
    connectionLost: Promise.withResolvers<number>().promise,
    storeLost: membership.lost.then((error) =>
      error instanceof StoreError ? error : new StoreError('failed', 'This worker could not continue.', error),
    ),
    stop: once(async () => {
      monitoring?.markStopping();
      await membership.stop();
      threads?.stop();
      health.stop();
      await closeAll();
      await monitoring?.close();
      log.info('This worker has stopped.');
    }),
  };
}

const latest = (times: readonly (number | undefined)[]): number | undefined =>
  times.reduce((max, time) => (time !== undefined && (max === undefined || time > max) ? time : max), undefined);
