import { Events, type Interaction } from 'discord.js';
import { type AppTools, openBot } from './bot.ts';
import { kindSpecs } from './commands/index.ts';
import type { Config } from './config.ts';
import { logDiscordEvents, openDiscordClients } from './discord/outbox/clients.ts';
import { requireMessageContent } from './discord/reads.ts';
import { systemClock } from './lib/clock.ts';
import type { Monitoring } from './monitoring/monitoring.ts';
import { limitsText } from './services/spending/limits-text.ts';
import { openStore, type StoreError } from './services/store/index.ts';

export interface App {
  /** Discord has closed the connection for good, with its close code: most likely the token was reset. */
  readonly connectionLost: Promise<number>;
  /** The bot has lost its store: end the process at once. Nothing is submitted, shown or stored from now on. */
  readonly storeLost: Promise<StoreError>;
  /** Takes no new work, finishes running work within a limit, and closes everything. */
  stop(): Promise<void>;
}

/** Starts the bot. The sandbox and the tests start the same app. */
export async function startApp(config: Config, tools: AppTools): Promise<App> {
  const monitoring = await openMonitoring(config, tools);
  try {
    return await startAlone(config, tools, monitoring);
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

/** The bot as one process: it owns the whole store, and interactions arrive on its own connection. */
async function startAlone(config: Config, tools: AppTools, monitoring: Monitoring | undefined): Promise<App> {
  const { log, version, clock = systemClock } = tools;
  // Opened first, for it fails if another bot owns the store.
  const store = await openStore(config.store, {
    ...{ log, clock, specs: kindSpecs },
    ...{ botVersion: version, leaseMs: config.storeLeaseMs, onUse: monitoring?.onStoreUse },
    ...{ backupPassphrase: config.backupPassphrase, mayMigrate: tools.mayMigrate },
  });
  const { ownership } = store;
  const clients = openDiscordClients(config.discord.apiUrl, config.discord, ownership.mustBeOurs);
  const { client, reads } = clients;
  const bot = openBot({ config, tools, store, clients, monitoring });
  const connectionLost = new Promise<number>((resolve) =>
    client.on(Events.ShardDisconnect, ({ code }) => resolve(code)),
  );
  client.on(Events.Raw, bot.readPacket);
  client.on(Events.InteractionCreate, (interaction: Interaction) => void bot.take(interaction));
  logDiscordEvents(clients, log);
  try {
    if (config.discord.messageContent) await requireMessageContent(reads, config.discord.token, log);
    await bot.open();
    await client.login(config.discord.token);
    await bot.start();
  } catch (error) {
    await Promise.all([clients.close(), bot.abandon()]);
    throw error;
  }
  log.info({ version, tasks: bot.liveCount, ...limitsOf(config.budgets) }, 'Atelier is ready.');
  bot.announce();

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    monitoring?.stopping();
    await bot.finish();
    client.removeAllListeners(Events.ShardReconnecting);
    await clients.close();
    await bot.close();
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
