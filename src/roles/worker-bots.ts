import type { Config } from '../config.ts';
import { createDiscordClients } from '../discord/outbox/clients.ts';
import { clusterHealth } from '../discord/shards/cluster-health.ts';
import { handlePacket } from '../discord/shards/packets.ts';
import { systemClock } from '../lib/clock.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { openEveryPartition } from '../services/cluster/every-partition.ts';
import { openThreadAnnouncer } from '../services/cluster/followed-threads.ts';
import type { Cluster } from '../services/cluster/open-cluster.ts';
import { recentNotes } from '../services/cluster/open-cluster.ts';
import { findingsElsewhere, type PartitionHealth } from '../services/cluster/partition-health.ts';
import { GatewayConnections } from '../services/gateway/connections.ts';
import { MediaProcess, MIN_MEDIA_MEMORY_BYTES } from '../services/media/media-process.ts';
import type { ReadinessSources } from '../services/operations/readiness.ts';
import type { CallbackUrls } from '../services/orders/callback-urls.ts';
import { ProcessLimits } from '../services/orders/process-limits.ts';
import { Tracker } from '../services/orders/tracker.ts';
import { soleOwnership } from '../services/store/lease.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { StoreError } from '../services/tasks/store-error.ts';
import type { AppTools } from './app.ts';
import { type Bot, createBot } from './bot.ts';

/** Discord allows a bot 50 requests per second, of which the shard processes need a few. */
const REQUESTS_PER_SECOND = 45;

interface WorkerSources {
  config: Config;
  tools: AppTools;
  monitoring: Monitoring | undefined;
  cluster: Cluster;
  callbackUrls: CallbackUrls | undefined;
}

/** The bots of a worker, one for each partition that it owns, and what they share. */
export class WorkerBots {
  readonly limits: ProcessLimits;
  readonly tracker: Tracker;
  readonly connections: GatewayConnections;
  readonly clients: ReturnType<typeof createDiscordClients>;
  readonly mediaProcess: MediaProcess;
  readonly #sources: WorkerSources;
  readonly #everyPartition: ReturnType<typeof openEveryPartition>;
  readonly #notes: ReturnType<typeof recentNotes>;
  readonly #threads: ReturnType<typeof openThreadAnnouncer> | undefined;
  readonly #ownedStores = new Map<number, StoredTasks>();
  readonly running = new Map<number, Bot>();
  readonly #inboxes = new Map<number, { close(): Promise<void> }>();

  constructor(sources: WorkerSources) {
    const { config, tools, cluster } = sources;
    const { clock, facts, log, partitions } = cluster;
    this.#sources = sources;
    this.#everyPartition = openEveryPartition(cluster);
    this.#notes = recentNotes(facts, clock);
    this.#threads = config.discord.messageContent ? openThreadAnnouncer(cluster) : undefined;
    this.limits = new ProcessLimits(config, cluster, partitions.count);
    this.tracker = new Tracker(clock, partitions.count);
    this.connections = new GatewayConnections(config.gateway, tools.gatewayLimits);
    this.mediaProcess = tools.mediaProcess ?? new MediaProcess({ clock: systemClock, log });
    this.clients = {
      ...createDiscordClients(config.discord.apiUrl, undefined, () => this.#assertAllOwned()),
      // A worker has no connection to Discord that could be lost: packets wait in the inbox.
      isConnected: () => true,
    };
  }

  readonly health = (): ReadonlyMap<number, PartitionHealth> =>
    new Map([...this.running].map(([partition, bot]) => [partition, bot.health()]));

  readonly readinessSources: ReadinessSources = {
    hasStarted: () => true,
    isDiscordReady: () => true,
    ownership: {
      ...soleOwnership,
      assertOwned: () => this.#assertAllOwned(),
      trouble: () => this.#sources.cluster.partitions.trouble(),
    },
    isStoreFailing: () => this.running.values().some((bot) => bot.isStoreFailing()),
    gateways: () => [...this.running.values()].map(({ gateway }) => gateway),
  };

  /** Starts a bot for a partition that this process owns now. Returns false if nothing started because the store could not be read. */
  async take(partition: number, store: StoredTasks): Promise<boolean> {
    const { inbox, clock, log } = this.#sources.cluster;
    this.#ownedStores.set(partition, store);
    this.#shareLimits();
    this.#sources.monitoring?.onOwnerChange('taken');
    const bot = this.#createBot(partition, store);
    this.#sources.monitoring?.watchBot(bot);
    try {
      await bot.open();
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'unreachable') throw error;
      log.warn({ partition, err: error }, 'A partition could not be read; retrying.');
      this.#disown(partition);
      await bot.abandon();
      return false;
    }
    this.#threads?.watch(bot.domains.tasks.book, partition);
    await bot.start();
    // One check for the whole process is enough, and one that knows the models for the notices of partition 0.
    if (partition === 0 || this.running.size === 0) void bot.checkGateway();
    bot.announce();
    this.running.set(partition, bot);
    // The settings may have changed while the bot started.
    await bot.applyReload();
    this.#inboxes.set(
      partition,
      inbox.consume(partition, (packet) => handlePacket(packet, { ...bot, clock, log })),
    );
    return true;
  }

  /** Ends the work on a partition, and closes its store. */
  async release(partition: number): Promise<void> {
    const bot = this.running.get(partition);
    const inboxClosed = this.#inboxes.get(partition)?.close();
    await bot?.finish();
    // After this, the partition's lease is released, and its loss must not stop the requests of the other partitions.
    this.#disown(partition);
    this.running.delete(partition);
    this.#inboxes.delete(partition);
    await bot?.close();
    await inboxClosed;
  }

  readonly prepareReload = async (next: Config): Promise<void> => {
    await Promise.all([...this.running.values()].map((bot) => bot.prepareReload(next)));
  };

  readonly applyReload = async (): Promise<void> => {
    this.#shareLimits();
    await Promise.all([...this.running.values()].map((bot) => bot.applyReload()));
  };

  /** Closes what the bots shared, once all of them are closed. */
  async close(): Promise<void> {
    this.#threads?.stop();
    await this.limits.scheduler.stop();
    await Promise.all([
      this.connections.close(),
      this.clients.close(),
      this.mediaProcess !== this.#sources.tools.mediaProcess && this.mediaProcess.close(),
    ]);
  }

  #createBot(number: number, store: StoredTasks): Bot {
    const { config, tools, monitoring, cluster, callbackUrls } = this.#sources;
    const { mediaProcess, limits, tracker, connections, clients } = this;
    return createBot({
      config,
      tools: { ...tools, mediaProcess },
      store,
      clients,
      monitoring,
      cluster: {
        partition: { number, count: cluster.partitions.count },
        others: this.#everyPartition.otherPartitions(number),
        notes: this.#notes,
        tracker,
        limits,
        connections,
        callbackUrls,
        clusterHealth: () => clusterHealth(cluster, this.health()),
        findingsElsewhere: () => findingsElsewhere(cluster, this.health()),
      },
    });
  }

  #disown(partition: number): void {
    this.#sources.monitoring?.onOwnerChange('given-back');
    this.#ownedStores.delete(partition);
    this.#shareLimits();
  }

  /** Sets this process's share of the limits of the whole bot. */
  #shareLimits(): void {
    const owned = [...this.#ownedStores.keys()];
    const share = owned.length / this.#sources.cluster.partitions.count;
    this.limits.setOwnedPartitions(owned);
    this.connections.setCount(this.limits.connectionCount(owned));
    this.mediaProcess.setMemoryBytes(Math.max(MIN_MEDIA_MEMORY_BYTES, this.#sources.config.media.memoryBytes * share));
    this.clients.setRequestsPerSecond(REQUESTS_PER_SECOND * share);
  }

  #assertAllOwned(): void {
    for (const { ownership } of this.#ownedStores.values()) ownership.assertOwned();
  }
}
