import { alertPlan, operatorAlertPlan } from '../commands/budget/page.ts';
import { kindSpecs, kindsOf, kindViews, say } from '../commands/index.ts';
import { createCommands } from '../commands/open-commands.ts';
import { talksWithoutThread } from '../commands/talk/start.ts';
import { erasureOutcome } from '../commands/tasks/own-data.ts';
import type { Config } from '../config.ts';
import { Operator } from '../discord/operator.ts';
import { attachmentRefresher } from '../discord/outbox/attachment-addresses.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import { interruptedInteractionHandler } from '../discord/outbox/interrupted.ts';
import { Outbox } from '../discord/outbox/outbox.ts';
import { messageRemover } from '../discord/outbox/removal.ts';
import type { Interaction } from '../discord/place.ts';
import { DiscordReader } from '../discord/reads.ts';
import type { EarlierAcknowledgement } from '../discord/router.ts';
import type { ClusterHealth } from '../discord/shards/cluster-health.ts';
import { pause, systemClock } from '../lib/clock.ts';
import { createMessages } from '../messages/open-messages.ts';
import { createNotices } from '../messages/open-notices.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import type { PartitionHealth } from '../services/cluster/partition-health.ts';
import { createGateway, type GatewayConnections } from '../services/gateway/gateway.ts';
import { createEngine, type EngineParts } from '../services/operations/engine.ts';
import { ReadinessCheck, type ReadinessSources } from '../services/operations/readiness.ts';
import type { CallbackUrls } from '../services/orders/callback-addresses.ts';
import type { ErasureMessage, OtherPartitions } from '../services/orders/other-partitions.ts';
import { ProcessLimits } from '../services/orders/process-limits.ts';
import { NO_RULES } from '../services/safety/server-rules.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { bucketOf, type Partition, partitionOf, WHOLE_STORE } from '../services/tasks/homes.ts';
import type { AppTools } from './app.ts';

/** A stopping bot finishes running work within this time; Discord's own limit for a response is three seconds. */
const STOP_LIMIT_MS = 10_000;

interface BotParts {
  config: Config;
  tools: AppTools;
  store: StoredTasks;
  partition?: Partition;
  others?: OtherPartitions | undefined;
  notes?: EngineParts['notes'];
  tracker?: EngineParts['tracker'];
  /** Undefined if this is the only bot in its process. */
  limits?: ProcessLimits;
  /** The connections to the gateway, if other bots in this process use them too. */
  connections?: GatewayConnections;
  clients: DiscordClients;
  callbackUrls?: CallbackUrls | undefined;
  clusterHealth?: (() => Promise<ClusterHealth | undefined>) | undefined;
  monitoring?: Monitoring | undefined;
}

export type Bot = ReturnType<typeof createBot>;

/** One bot with one store: everything except the connection on which interactions arrive. */
export function createBot({
  config,
  tools,
  store,
  partition = WHOLE_STORE,
  others,
  clients,
  callbackUrls,
  clusterHealth,
  connections,
  monitoring,
  ...parts
}: BotParts) {
  const { log, version, clock = systemClock, gatewayLimits, mediaClock = clock, mediaProcess } = tools;
  const { limits = new ProcessLimits(config, { clock, log }) } = parts;
  const gateway = createGateway(config.gateway, { log, clock, connections }, gatewayLimits);
  const reads = new DiscordReader(clients.reads, log);
  const outbox = new Outbox(clients, log);
  const operator = new Operator(config.operator, outbox, reads, log);
  const remover = messageRemover({ outbox, clock, log });
  const engine = createEngine({
    ...{
      store,
      partition,
      others,
      limits,
      notes: parts.notes,
      tracker: parts.tracker,
      callbackUrls,
      gateway,
      clock,
      mediaClock,
      mediaProcess,
      log,
    },
    settings: config,
    specs: kindSpecs,
    kinds: kindsOf(gateway, { ...config.poll, ...config.gateway }),
    // If Discord is in a private network, so are its files.
    extraOrigins: [new URL(config.discord.apiUrl).origin, ...(tools.extraOrigins ?? [])],
    refreshAddresses: attachmentRefresher(clients, clock, log),
    ...remover,
    async sendBudgetAlert(alert) {
      if (alert.channelId !== undefined) await outbox.sendInChannel(alert.channelId, alertPlan(alert, say));
      await operator.post(operatorAlertPlan(alert, await reads.guildName(alert.guildId), say));
    },
    notifyErased: (memberId, forgotten) => outbox.sendDirectMessage(memberId, erasureOutcome(forgotten, say)),
  });
  const { tasks, talks } = engine;
  const readiness = monitoring?.readiness ?? new ReadinessCheck(clock);
  const notices = createNotices({ version, engine, gateway, store, operator, say, clock, log });
  const messages = createMessages({
    ...engine,
    outbox,
    say,
    clock,
    log,
    views: kindViews,
    isRemix: config.gateway.remix,
    marksResults: config.media.marksResults,
    readsMessages: config.discord.messageContent,
    storedFiles: (task) => reads.storedFiles(task),
  });
  /** The buttons of a task work in every server, but the rules of a server are in its own partition. */
  const loadRules = async (guildId: string): Promise<boolean> => {
    const homePartition = partitionOf(bucketOf(guildId), partition.count);
    if (!others || homePartition === partition.number) return false;
    engine.rules.borrow(guildId, (await (await others.find(homePartition))?.rules.read(guildId)) ?? NO_RULES);
    return true;
  };
  const commands = createCommands({
    ...remover,
    ...{ version, engine, messages, store, gateway, clients, reads, outbox, operator, say, clock, log },
    clusterHealth,
    loadRules,
    operatorState: async () => ({ ...notices.state(), readiness: await readiness.check() }),
    settings: config,
  });
  const readinessSources: ReadinessSources = {
    isDiscordReady: clients.isConnected,
    store: {
      mustBeOurs: store.ownership.assertOwned,
      trouble: store.ownership.trouble,
      unsaved: () => tasks.book.unsavedCount,
    },
    gateway: {
      answeredAt: gateway.answeredAt,
      ping: (signal) => gateway.models.list({ attempts: 1, signal }),
    },
  };
  // Without monitoring, readiness is only used by `/about`.
  if (!monitoring) readiness.watch(readinessSources);
  let ownersNotified: Promise<unknown> = Promise.resolve();
  let lostTalkIds: readonly string[] = [];

  return {
    watched: readinessSources,
    metricSources: { engine, gateway, router: commands.router, funnel: commands.funnel },
    get liveCount(): number {
      return tasks.book.liveCount;
    },
    book: tasks.book,
    health: (): PartitionHealth => ({ liveTasks: tasks.book.inProgressCount, troubles: tasks.scheduler.troubles() }),
    callbacks: engine.callbacks,
    /** Whether `finish` has been called. From then on, interactions are refused. */
    get isFinishing(): boolean {
      return commands.router.isFinishing;
    },
    /** Answers a message in a thread. */
    readMessage: commands.readMessage,

    /** Never throws: failures are reported and logged. */
    route: (interaction: Interaction, earlier?: EarlierAcknowledgement): Promise<void> =>
      commands.router.route(interaction, earlier),

    /** Handles a packet from another partition's bot. */
    receive: (message: ErasureMessage): Promise<void> => tasks.erasure.receive(message),

    onlyOrders: (interaction: Interaction): boolean => commands.router.onlyOrders(interaction),

    /** For an interaction whose process died while handling it. */
    interruptedState: interruptedInteractionHandler({ outbox, book: tasks.book, say, log }),

    /** Reads the content of the store, but does not act on it yet. */
    async open(): Promise<void> {
      await Promise.all([engine.open(), notices.open()]);
      // Read before members can start new talks.
      lostTalkIds = talksWithoutThread(tasks.book);
    },

    /** Continues interrupted work, once messages can be sent. */
    async start(): Promise<void> {
      await tasks.start();
      for (const id of lostTalkIds) await talks.end(id, 'lost');
      await commands.resume();
      notices.recordRun();
    },

    /** Notifies the operator of the start, and the owners of unreadable tasks. The start does not wait for this. */
    announce(): void {
      notices.start();
      ownersNotified = store.quarantine
        .notifyOwners((memberId) => outbox.sendDirectMessage(memberId, { content: say('tasks.unreadable') }))
        .catch((error: unknown) => log.warn({ err: error }, 'Could not notify the owners of unreadable tasks.'));
    },

    /** Tells the operator if the gateway cannot be used. Returns whether it can; the bot starts all the same. */
    checkGateway: notices.checkGateway,

    /** Accepts no new work, and finishes running work within a time limit. */
    async finish(): Promise<void> {
      const timeLimitAbort = new AbortController();
      const timeLimit = pause(clock, STOP_LIMIT_MS, timeLimitAbort.signal).then(() => {
        if (!timeLimitAbort.signal.aborted) log.warn('Stopped before all running work was finished.');
      });
      const finishing = [
        commands.router.finish(),
        engine.pause(),
        commands.pause(),
        notices.stopWatching(),
        ownersNotified,
      ];
      const allFinished = Promise.all(finishing).then(() => messages.finish());
      await Promise.race([allFinished, timeLimit]);
      timeLimitAbort.abort();
    },

    /** To be called after `finish`. Closes the store too. */
    async close(): Promise<void> {
      outbox.close();
      await engine.close();
      await notices.stop();
      await engine.stop();
    },

    /** For a bot whose `open` or `start` has failed. */
    async abandon(): Promise<void> {
      outbox.close();
      await Promise.all([engine.close(), engine.tasks.orders.finish(), store.close()]);
    },
  };
}
