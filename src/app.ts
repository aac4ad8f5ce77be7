import { Events, type Interaction } from 'discord.js';
import { alertPlan } from './commands/budget/alert.ts';
import { kindSpecs, kindsOf, kindViews, texts } from './commands/index.ts';
import { openCommands } from './commands/open-commands.ts';
import { talksWithoutThread } from './commands/talk/start.ts';
import { erasureOutcome } from './commands/tasks/own-data.ts';
import type { Config } from './config.ts';
import { Operator } from './discord/operator.ts';
import { attachmentRefresher } from './discord/outbox/attachment-addresses.ts';
import { logDiscordEvents, openDiscordClients } from './discord/outbox/clients.ts';
import { Outbox } from './discord/outbox/outbox.ts';
import { messageRemover, ownMessageRemover } from './discord/outbox/removal.ts';
import { openOwners, requireMessageContent, storedFileReader } from './discord/reads.ts';
import { type Clock, pause, systemClock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { createSay } from './locales/index.ts';
import { openMessages } from './messages/open-messages.ts';
import { openNotices } from './messages/open-notices.ts';
import type { Monitoring } from './monitoring/monitoring.ts';
import { openEngine } from './services/engine.ts';
import { openGateway } from './services/gateway/index.ts';
import type { GatewayLimits } from './services/gateway/settings.ts';
import type { MediaProcess } from './services/media-process/media-process.ts';
import { ReadinessCheck, watchedBot } from './services/readiness.ts';
import { limitsText } from './services/spending/limits-text.ts';
import { openStore, type StoreError } from './services/store/index.ts';

/** A stopping bot finishes running work within this time; Discord's own limit for a response is three seconds. */
const STOP_LIMIT_MS = 10_000;

export interface App {
  /** Discord has closed the connection for good, with its close code: most likely the token was reset. */
  readonly connectionLost: Promise<number>;
  /** The bot has lost its store: end the process at once. Nothing is submitted, shown or stored from now on. */
  readonly storeLost: Promise<StoreError>;
  /** Takes no new work, finishes running work within a limit, and closes everything. */
  stop(): Promise<void>;
}

export interface AppTools {
  log: Log;
  version: string;
  /** The operator has backed up the store, whose schema may change. */
  mayMigrate?: boolean;
  clock?: Clock;
  gatewayLimits?: Partial<GatewayLimits>;
  /** Times the downloads of files; by default the same clock. */
  mediaClock?: Clock;
  /** Shared with other bots of this process, so it is not closed with this one. */
  mediaProcess?: MediaProcess;
  /** Origins of an embedded Discord or gateway, from which files are allowed although they are on this machine. */
  extraOrigins?: readonly string[];
}

/** Starts the bot. The sandbox and the tests start the same app. */
export async function startApp(config: Config, tools: AppTools): Promise<App> {
  const monitoring = await openMonitoring(config, tools);
  try {
    return await startBot(config, tools, monitoring);
  } catch (error) {
    await monitoring?.close();
    throw error;
  }
}

/** Loaded only where a port is set: it brings a web server and a library for metrics. */
async function openMonitoring({ http }: Config, { clock = systemClock, ...tools }: AppTools) {
  const { port } = http;
  if (port === undefined) return undefined;
  const monitoring = await import('./monitoring/monitoring.ts');
  return monitoring.openMonitoring({ ...http, port }, { ...tools, clock });
}

/** Wires configuration into a running bot. */
async function startBot(config: Config, tools: AppTools, monitoring: Monitoring | undefined): Promise<App> {
  const { log, version, clock = systemClock, gatewayLimits, mediaClock = clock, mediaProcess } = tools;
  const say = createSay(texts);
  // Opened first, for it fails if another bot owns the store.
  const store = await openStore(config.store, {
    ...{ log, clock, specs: kindSpecs },
    ...{ botVersion: version, leaseMs: config.storeLeaseMs, onUse: monitoring?.onStoreUse },
    ...{ backupPassphrase: config.backupPassphrase, mayMigrate: tools.mayMigrate },
  });
  const { ownership } = store;
  const gateway = openGateway(config.gateway, { log, clock }, gatewayLimits);
  const clients = openDiscordClients(config.discord.apiUrl, config.discord, ownership.mustBeOurs);
  const { client, reads } = clients;
  const outbox = new Outbox(clients, log);
  const { channelId, ids } = config.operator;
  const operator = new Operator({ ...{ channelId, ids, outbox, log }, owners: openOwners(reads, log) });
  const removers = {
    removeMessages: messageRemover({ outbox, clock, log }),
    removeMessage: ownMessageRemover({ outbox, log }),
  };
  const engine = openEngine({
    ...{ store, gateway, clock, mediaClock, mediaProcess, log },
    settings: config,
    specs: kindSpecs,
    kinds: kindsOf(gateway, { ...config.poll, ...config.gateway }),
    // If Discord is in a private network, so are its files.
    extraOrigins: [new URL(config.discord.apiUrl).origin, ...(tools.extraOrigins ?? [])],
    refreshAddresses: attachmentRefresher(clients, clock, log),
    ...removers,
    async tellBudgetAlert(alert) {
      if (alert.channelId !== undefined) await outbox.sendInChannel(alert.channelId, alertPlan(alert, 'here', say));
      await operator.tell(alertPlan(alert, 'elsewhere', say));
    },
    tellNoCredit: (kind) => notices.tell({ topic: 'noCredit', subject: kind }),
    tellErased: (memberId, forgotten) => outbox.sendDirectMessage(memberId, erasureOutcome(forgotten, say)),
  });
  const { tasks, talks } = engine;
  const readiness = monitoring?.readiness ?? new ReadinessCheck(clock);
  const notices = openNotices({ version, engine, gateway, store, operator, say, clock, log });
  const messages = openMessages({
    ...{ engine, outbox, say, clock, log },
    views: kindViews,
    isRemix: config.gateway.remix,
    marksResults: config.media.marksResults,
    readsMessages: config.discord.messageContent,
    storedFiles: storedFileReader(reads, log),
  });
  const commands = openCommands({
    ...removers,
    ...{ version, engine, messages, store, gateway, clients, outbox, operator, say, clock, log },
    operatorState: async () => ({ ...notices.state(), readiness: await readiness.check() }),
    ...{ onFailure: monitoring?.onFailure, onAcknowledged: monitoring?.onAcknowledged },
    settings: config,
  });
  readiness.watch(watchedBot({ engine, store, gateway, isConnected: clients.isConnected }));
  monitoring?.watch({ engine, storeAddress: config.store, gateway, clients });

  const connectionLost = new Promise<number>((resolve) =>
    client.on(Events.ShardDisconnect, ({ code }) => resolve(code)),
  );
  client.on(Events.Raw, commands.readPacket);
  client.on(Events.InteractionCreate, (interaction: Interaction) => void commands.router.take(interaction));
  logDiscordEvents(clients, log);
  try {
    if (config.discord.messageContent) await requireMessageContent(reads, config.discord.token, log);
    await Promise.all([engine.open(), notices.open()]);
    // Read before members can start new ones.
    const unplaced = talksWithoutThread(tasks.book);
    await client.login(config.discord.token);
    await tasks.start();
    for (const id of unplaced) await talks.end(id, 'lost');
    await commands.resume();
  } catch (error) {
    await Promise.all([clients.close(), engine.close(), store.close()]);
    throw error;
  }
  log.info({ version, tasks: tasks.book.liveCount, ...limitsOf(config.budgets) }, 'Atelier is ready.');
  notices.start();
  // After the start, which must not wait for direct messages or fail with them.
  const told = store.quarantine
    .tellOwners((memberId) => outbox.sendDirectMessage(memberId, { content: say('tasks.unreadable') }))
    .catch((error: unknown) => log.warn({ err: error }, 'Could not notify the owners of unreadable tasks.'));

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    monitoring?.stopping();
    const finished = new AbortController();
    const timeLimit = pause(clock, STOP_LIMIT_MS, finished.signal).then(() => {
      if (!finished.signal.aborted) log.warn('Stopped before all running work was finished.');
    });
    const finishing = [commands.router.finish(), engine.pause(), commands.pause(), notices.pause(), told];
    const underWay = Promise.all(finishing).then(() => messages.finish());
    await Promise.race([underWay, timeLimit]);
    finished.abort();
    client.removeAllListeners(Events.ShardReconnecting);
    await clients.close();
    await engine.close();
    await notices.stop();
    await engine.stop();
    await monitoring?.close();
    log.info('Atelier has stopped.');
  }
  return {
    connectionLost,
    storeLost: ownership.lost,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Nothing is limited or unlimited by accident: an operator sees the limits with every start. */
const limitsOf = ({ total, server, member, direct }: Config['budgets']) => ({
  totalBudget: limitsText(total),
  serverBudget: limitsText(server),
  memberBudget: limitsText(member),
  directBudget: limitsText(direct),
});
