import { type APIInteraction, GatewayDispatchEvents, SnowflakeUtil } from 'discord.js';
import { kindSpecs, kindsOf } from '../commands/index.ts';
import type { Config } from '../config.ts';
import { type DiscordClients, openDiscordClients } from '../discord/outbox/clients.ts';
import { identify } from '../discord/outbox/identity.ts';
import { interactionIn } from '../discord/outbox/packets.ts';
import type { Acknowledgement } from '../discord/outbox/responder.ts';
import { clusterHealth } from '../discord/shards/cluster-health.ts';
import { threadMessageIn } from '../discord/thread-message.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { callbackIn, openClusterCallbacks } from '../services/cluster/callback-port.ts';
import { EveryPartition, messageIn } from '../services/cluster/every-partition.ts';
import { ThreadNotes } from '../services/cluster/followed-threads.ts';
import { Membership } from '../services/cluster/membership.ts';
import { openCluster } from '../services/cluster/open-cluster.ts';
import { HealthNotes } from '../services/cluster/partition-health.ts';
import { openGateway } from '../services/gateway/index.ts';
import type { TakenInbox, TakenPacket } from '../services/inbox/inbox.ts';
import { MediaProcess, MIN_MEDIA_MEMORY_BYTES } from '../services/media-process/media-process.ts';
import { ProcessLimits } from '../services/process-limits.ts';
import type { Watched } from '../services/readiness.ts';
import { StoreError } from '../services/store/index.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { Tracker } from '../services/tasks/tracker.ts';
import type { App, AppTools } from './app.ts';
import { type Bot, openBot } from './bot.ts';
import { shareOfPartition } from './partition-config.ts';

/** Discord allows a bot 50 per second, of which the shard processes need a few. */
const REQUESTS_PER_SECOND = 45;
/** A message in a thread that has waited this long is not answered, because the conversation has moved on. */
const LATE_MS = 15 * 60_000;

interface Working {
  bot: Bot;
  inbox: TakenInbox;
}

/**
 * A process that answers what shard processes receive: for each partition that it owns, it runs a bot with the partition's store, and hands it the
 * partition's packets.
 */
export async function startWorker(config: Config, tools: AppTools, monitoring: Monitoring | undefined): Promise<App> {
  const { log, version, clock = systemClock, mediaProcess: shared } = tools;
  const cluster = await openCluster(config, {
    ...{ log, clock, version, specs: kindSpecs, onUse: monitoring?.onStoreUse },
    mayMigrate: tools.mayMigrate,
  });
  const { partitions, facts, inbox, holder } = cluster;
  const { count } = partitions;
  const everywhere = new EveryPartition({ partitions, inbox, log, clock, specs: kindSpecs });
  const mediaProcess = shared ?? new MediaProcess({ clock: systemClock, log });
  const threads = config.discord.messageContent ? new ThreadNotes({ facts, clock, log }) : undefined;
  const working = new Map<number, Working>();
  const owned = new Map<number, StoredTasks>();
  const limits = new ProcessLimits(config, { clock, log, partitionCount: count });
  const tracker = new Tracker({ clock, partitionCount: count });
  // The lanes of all partitions, which stay when a partition is released.
  const pollGateway = openGateway(config.gateway, { log, clock }, tools.gatewayLimits);
  for (const { source } of kindsOf(pollGateway, { ...config.poll, ...config.gateway }))
    if (source) tracker.laneOf(source);
  limits.scheduler.start();
  const mustOwnAll = (): void => {
    for (const { ownership } of owned.values()) ownership.mustBeOurs();
  };
  // A worker has no connection to Discord that could be lost: packets wait in the inbox.
  const clients = { ...openDiscordClients(config.discord.apiUrl, undefined, mustOwnAll), isConnected: () => true };
  const closeAll = async (): Promise<void> => {
    await callbacks?.close();
    await limits.scheduler.stop();
    await Promise.all([pollGateway.close(), clients.close(), mediaProcess !== shared && mediaProcess.close()]);
    await cluster.close();
  };

  function shareLimits(): void {
    limits.setOwned([...owned.keys()]);
    mediaProcess.setMemoryBytes(Math.max(MIN_MEDIA_MEMORY_BYTES, (config.media.memoryBytes * owned.size) / count));
    clients.setRequestsPerSecond((REQUESTS_PER_SECOND * owned.size) / count);
  }

  async function take(number: number, store: StoredTasks): Promise<boolean> {
    owned.set(number, store);
    shareLimits();
    monitoring?.onOwnerChange('taken');
    const bot = openBot({
      ...{ config: share, tools: { ...tools, mediaProcess }, limits, tracker, notes: facts, clients },
      ...{ store, partition: { number, count }, others: everywhere.but(number), monitoring },
      callbackAddresses: callbacks?.addresses,
      clusterHealth: clusterHealth({ facts, partitions, own: ownHealth, clock, log }),
    });
    monitoring?.watchBot(bot.measured);
    try {
      await bot.open();
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'unreachable') throw error;
      log.warn({ partition: number, err: error }, 'A partition could not be read; retrying.');
      monitoring?.onOwnerChange('given-back');
      owned.delete(number);
      shareLimits();
      await bot.abandon();
      return false;
    }
    threads?.watch(bot.book, number);
    await bot.start();
    // One bot is enough.
    if (number === 0) bot.announce();
    const answer = (packet: TakenPacket): Promise<void> => answerPacket(packet, { bot, clients, clock, log });
    working.set(number, { bot, inbox: inbox.take(number, answer) });
    return true;
  }

  async function giveBack(number: number): Promise<void> {
    const { bot, inbox: taken } = working.get(number) ?? {};
    const closed = taken?.close();
    await bot?.finish();
    monitoring?.onOwnerChange('given-back');
    // After this its lease is released, which must not stop the requests of the other partitions.
    owned.delete(number);
    shareLimits();
    working.delete(number);
    await bot?.close();
    await closed;
  }

  const ownHealth = () => new Map([...working].map(([partition, { bot }]) => [partition, bot.health()]));
  const bots = (): Bot[] => [...working.values()].map(({ bot }) => bot);
  const watched = (): Watched => ({
    isDiscordReady: clients.isConnected,
    store: {
      mustBeOurs: mustOwnAll,
      trouble: () => partitions.trouble(),
      unsaved: () => bots().reduce((sum, bot) => sum + bot.watched.store.unsaved(), 0),
    },
    gateway: {
      answeredAt: () => latest(bots().map((bot) => bot.watched.gateway.answeredAt())),
      // A worker without a partition sends no requests to the gateway.
      ask: async (signal) => bots()[0]?.watched.gateway.ask(signal),
    },
  });
  let callbacks: Awaited<ReturnType<typeof openClusterCallbacks>>;
  let share: Config;
  let membership: Membership;
  try {
    share = shareOfPartition(config, count);
    monitoring?.readiness.watch(watched());
    monitoring?.watchDiscord(clients);
    monitoring?.watch({ bots: () => bots().map(({ measured }) => measured), mediaProcess, storeAddress: config.store });
    monitoring?.watchPartitions({ count, owners: () => partitions.owners() });
    monitoring?.watchWorker({ owned: () => [...working.keys()], waiting: (partition) => inbox.waiting(partition) });
    await identify(clients.client, config.discord.token);
    callbacks = await openClusterCallbacks(config.callbacks, {
      ...{ facts, inbox, clock, count, log },
      own: (partition) => working.get(partition)?.bot.callbacks,
      note: monitoring?.onCallback,
    });
    const { storeLeaseMs: leaseMs } = config;
    membership = await Membership.join({
      ...{ facts, partitions, holder, leaseMs, clock, log },
      onTaken: take,
      onGiveBack: giveBack,
    });
  } catch (error) {
    await closeAll();
    throw error;
  }
  const health = new HealthNotes({ facts, holder, clock, log, own: ownHealth });
  log.info({ version, partitions: count }, 'This worker is ready.');

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    monitoring?.stopping();
    await membership.stop();
    threads?.stop();
    health.stop();
    await closeAll();
    await monitoring?.close();
    log.info('This worker has stopped.');
  }
  return {
    connectionLost: Promise.withResolvers<number>().promise,
    storeLost: membership.lost.then((error) =>
      error instanceof StoreError ? error : new StoreError('failed', 'This worker could not continue.', error),
    ),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Never throws: Discord accepts only one first response to an interaction, so a packet is not retried automatically. */
async function answerPacket(
  { content, isRepeated }: TakenPacket,
  { bot, clients, clock, log }: { bot: Bot; clients: DiscordClients; clock: Clock; log: Log },
): Promise<void> {
  try {
    const message = messageIn(content);
    if (message) return await bot.hear(message);
    const callback = callbackIn(content);
    if (callback) return void bot.callbacks?.take(callback.id, callback.said);
    const spoken = threadMessageIn(content);
    if (spoken) {
      const isLate = clock.now() - SnowflakeUtil.timestampFrom(spoken.id) > LATE_MS;
      if (isLate) return log.info('A message in a thread waited too long for a worker and will not be answered.');
      return await bot.readMessage(content, { isRepeated });
    }
    const packet = content as { t: string; d: APIInteraction; acknowledgement?: Acknowledgement };
    if (packet.t !== GatewayDispatchEvents.InteractionCreate) return;
    if (isRepeated && (await bot.endInterrupted(packet.d))) return;
    bot.readPacket(packet);
    const interaction = interactionIn(clients.client, packet.d);
    if (packet.d.guild_id !== undefined) await bot.readRulesOf(packet.d.guild_id);
    if (interaction) await bot.take(interaction, packet.acknowledgement);
  } catch (error) {
    log.error({ err: error }, 'A packet could not be answered.');
  }
}

const latest = (times: readonly (number | undefined)[]): number | undefined =>
  times.reduce((max, at) => (at !== undefined && (max === undefined || at > max) ? at : max), undefined);
