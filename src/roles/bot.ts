import { kindSpecs, kindsOf, kindViews, ruleTargets } from '../commands/index.ts';
import { openCommands } from '../commands/open-commands.ts';
import { openDiscord } from '../commands/open-discord.ts';
import { talksWithoutThread } from '../commands/talk/start.ts';
import type { Config } from '../config.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import type { ClusterHealth } from '../discord/shards/cluster-health.ts';
import { isDoneWithin, systemClock } from '../lib/clock.ts';
import { sayIn } from '../locales/index.ts';
import { openMessages } from '../messages/open-messages.ts';
import { openNotices } from '../messages/open-notices.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import type { findingsElsewhere, PartitionHealth } from '../services/cluster/partition-health.ts';
import type { GatewayConnections } from '../services/gateway/connections.ts';
import type { GatewayError } from '../services/gateway/errors.ts';
import { createGateway } from '../services/gateway/gateway.ts';
import type { SharedNotes } from '../services/money/whole-bot.ts';
import { createEngine } from '../services/operations/engine.ts';
import { ReadinessCheck } from '../services/operations/readiness.ts';
import type { CallbackUrls } from '../services/orders/callback-urls.ts';
import { type OtherPartitions, rowsAtHome } from '../services/orders/other-partitions.ts';
import { ProcessLimits } from '../services/orders/process-limits.ts';
import type { Tracker } from '../services/orders/tracker.ts';
import { NO_RULES } from '../services/safety/server-rules.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { isAtHome, type Partition, WHOLE_STORE } from '../services/tasks/homes.ts';
import type { AppTools } from './app.ts';

/** A stopping bot finishes running work within this time; Discord's own limit for a response is three seconds. */
const STOP_LIMIT_MS = 10_000;

/** What a bot has only if it is one of many: the others, and what it shares with those of its process. */
interface BotInCluster {
  partition: Partition;
  others: OtherPartitions | undefined;
  notes: SharedNotes;
  tracker: Tracker;
  limits: ProcessLimits;
  connections: GatewayConnections;
  callbackUrls: CallbackUrls | undefined;
  clusterHealth(): Promise<ClusterHealth | undefined>;
  findingsElsewhere(): ReturnType<typeof findingsElsewhere>;
}

interface BotSources {
  config: Config;
  tools: AppTools;
  store: StoredTasks;
  clients: DiscordClients;
  monitoring: Monitoring | undefined;
  cluster?: BotInCluster;
}

export type Bot = ReturnType<typeof createBot>;

/** Opens the parts of a bot, each with those above it. */
function openParts({ config, tools, store, clients, monitoring, cluster }: BotSources) {
  const { log, version, clock = systemClock, mediaClock = clock, mediaProcess } = tools;
  const context = { clock, log, settings: config };
  const { partition, others, limits } = cluster ?? {
    partition: WHOLE_STORE,
    limits: new ProcessLimits(config, context),
  };
  const gateway = createGateway(config.gateway, { log, clock, connections: cluster?.connections }, tools.gatewayLimits);
  const discord = openDiscord(context, { clients, store, gateway });
  const { outbox, readers, reads, operator } = discord;
  const engine = createEngine(context, {
    ...cluster,
    settings: config,
    store,
    partition,
    limits,
    gateway,
    specs: kindSpecs,
    ruleTargets,
    kinds: kindsOf(gateway, { ...config.poll, ...config.gateway }),
    // If Discord is in a private network, so are its files.
    extraOrigins: [new URL(config.discord.apiUrl).origin, ...(tools.extraOrigins ?? [])],
    mediaClock,
    mediaProcess,
    discord: discord.forServices,
  });
  const { domains } = engine;
  const { tasks, safety } = domains;
  const readiness = monitoring?.readiness ?? new ReadinessCheck(clock);
  const say = sayIn(config.operator.language);
  const notices = openNotices({ ...context, ...cluster, say, version, partition, domains, gateway, store, operator });
  const messages = openMessages({
    ...domains,
    ...context,
    outbox,
    readers,
    views: kindViews,
    isRemix: config.gateway.remix,
    marksResults: config.media.marksResults,
    readsMessages: config.discord.messageContent,
    storedFiles: (task) => reads.storedFiles(task),
  });
  /** The buttons of a task work in every server, but the rules of a server are in its own partition. */
  const loadRules = async (guildId: string): Promise<boolean> => {
    if (isAtHome(guildId, partition)) return false;
    const rows = await rowsAtHome(guildId, { store, partition, others });
    safety.rules.borrow(guildId, (await rows?.rules.get({ guildId })) ?? NO_RULES);
    return true;
  };
  const operations = {
    version,
    ownership: store.ownership,
    clusterHealth: cluster?.clusterHealth,
    state: async (gatewayError?: GatewayError) => ({
      ...notices.state(),
      readiness: await readiness.check(gatewayError),
    }),
  };
  const commands = openCommands({ ...context, ...domains, gateway, discord, messages, operations }, loadRules);
  const isStoreFailing = (): boolean => store.health.failure !== undefined || tasks.book.unsavedCount > 0;
  return {
    ...context,
    partition,
    store,
    gateway,
    discord,
    engine,
    readiness,
    notices,
    messages,
    commands,
    limits,
    isStoreFailing,
  };
}

/** One bot with one store: everything except the connection on which interactions arrive. */
export function createBot(sources: BotSources) {
  const { config, clients, monitoring, cluster } = sources;
  const parts = openParts(sources);
  const { store, gateway, discord, engine, notices, messages, commands, limits, clock, log, isStoreFailing } = parts;
  const { outbox } = discord;
  const { domains } = engine;
  const { tasks, conversations } = domains;
  let ownersNotified: Promise<unknown> = Promise.resolve();
  let lostTalkIds: readonly string[] = [];
  let hasStarted = false;
  // The monitoring of a worker watches all bots of its process.
  if (!cluster || !monitoring)
    parts.readiness.watch({
      hasStarted: () => hasStarted,
      isDiscordReady: clients.isConnected,
      ownership: store.ownership,
      isStoreFailing,
      gateways: () => [gateway],
    });

  return {
    partition: parts.partition.number,
    domains,
    mediaProcess: engine.mediaProcess,
    gateway,
    isStoreFailing,
    router: commands.router,
    funnel: discord.funnel,
    readMessage: commands.readMessage,
    reportUnreadable: notices.reportUnreadable,
    health: (): PartitionHealth => ({
      liveTasks: tasks.book.inProgressCount,
      troubles: tasks.scheduler.troubles(),
      findings: notices.findings(),
      notices: notices.state().notices,
    }),

    /** For an interaction whose process died while handling it. */
    interruptedState: commands.interruptedState,

    /** Reads the content of the store, but does not act on it yet. */
    async open(): Promise<void> {
      await engine.open();
      await notices.open();
      // Read before members can start new talks.
      lostTalkIds = talksWithoutThread(tasks.book);
    },

    /** Continues interrupted work, once messages can be sent. */
    async start(): Promise<void> {
      await tasks.start();
      for (const id of lostTalkIds) await conversations.talks.end(id, 'lost');
      await commands.resume();
      notices.recordRun();
      hasStarted = true;
    },

    /** Starts to notify the operator, first of the start, and notifies the owners of unreadable tasks. The start does not wait for this. */
    announce(): void {
      notices.start();
      ownersNotified = store.quarantine
        .notifyOwners(async (memberId) => {
          const say = await discord.readers.sayTo({ memberId });
          return outbox.sendDirectMessage(memberId, { content: say('tasks.unreadable') });
        })
        .catch((error: unknown) => log.warn({ err: error }, 'Could not notify the owners of unreadable tasks.'));
    },

    /** Tells the operator if the gateway cannot be used. Returns whether it can; the bot starts all the same. */
    checkGateway: notices.checkGateway,

    /** Counts what changed limits need. Changes nothing. */
    prepareReload: ({ budgets }: Config): Promise<void> => domains.money.prepare(budgets),

    /** Everything that does not read the settings in force each time. */
    async applyReload(): Promise<void> {
      domains.safety.rules.setOperatorRules(config.rules);
      domains.models.setOverrides(config.modelKinds);
      discord.rateLimiter.setRates(config.rates);
      // The bots of a worker share its limits.
      if (!cluster) limits.setOwnedPartitions([WHOLE_STORE.number]);
      await domains.money.takeOver();
    },

    /** Accepts no new work, and finishes running work within a time limit. */
    async finish(): Promise<void> {
      const finishing = [
        commands.router.finish(),
        engine.pause(),
        commands.pause(),
        notices.stopWatching(),
        ownersNotified,
      ];
      const allFinished = Promise.all(finishing).then(() => messages.finish());
      if (!(await isDoneWithin(clock, STOP_LIMIT_MS, allFinished)))
        log.warn('Stopped before all running work was finished.');
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
      await Promise.all([engine.close(), tasks.orders.finish(), domains.money.stop(), store.close()]);
    },
  };
}
