import { kindSpecs } from '../commands/index.ts';
import type { Config } from '../config.ts';
import { createDiscordClients, logDiscordEvents } from '../discord/outbox/clients.ts';
import { connectInTime } from '../discord/reach.ts';
import { requireMessageContent } from '../discord/reads.ts';
import { systemClock, withTimeout } from '../lib/clock.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { limitsText } from '../services/money/limits-text.ts';
import { openStore } from '../services/store/open-store.ts';
import type { AppTools, RunningRole } from './app.ts';
import { createBot } from './bot.ts';

/** If Discord no longer responds, its connection would take half a minute to close. */
const CLOSE_LIMIT_MS = 1_000;

/** The bot as one process: it owns the whole store, and interactions arrive on its own connection. */
export async function startAll(
  config: Config,
  tools: AppTools,
  monitoring: Monitoring | undefined,
): Promise<RunningRole> {
  const { log, version, clock = systemClock } = tools;
  // Opened first, because it fails if another bot owns the store.
  const store = await openStore(config.store, {
    log,
    clock,
    specs: kindSpecs,
    botVersion: version,
    leaseMs: config.storeLeaseMs,
    onUse: monitoring?.onStoreUse,
  });
  const { ownership } = store;
  const clients = createDiscordClients(config.discord.apiUrl, config.discord, ownership.assertOwned);
  const { connection, reads } = clients;
  tools.onClients?.(clients);
  const bot = createBot({ config, tools, store, clients, monitoring });
  monitoring?.watchBot(bot);
  monitoring?.watchDiscord(clients);
  const { mediaProcess, domains } = bot;
  const { scheduler, book } = domains.tasks;
  monitoring?.watch({ bots: () => [bot], scheduler, mediaProcess, storeAddress: config.store });
  connection.onInteraction((interaction) => void bot.router.route(interaction));
  if (config.discord.mentions || config.discord.messageContent)
    connection.onOther((packet) => void bot.readMessage(packet));
  logDiscordEvents(clients, log, clock);
  let inProgressCount: number;
  try {
    if (config.discord.messageContent) await requireMessageContent(reads, config.discord.token, log);
    await bot.open();
    inProgressCount = book.inProgressCount;
    await connectInTime(connection.open(config.discord.token), clock);
    await bot.start();
  } catch (error) {
    await Promise.all([clients.close(), bot.abandon()]);
    throw error;
  }
  const canUseGateway = await bot.checkGateway();
  const startFacts = { version, tasks: inProgressCount, ...limitsOf(config.budgets) };
  log.info(startFacts, canUseGateway ? 'Atelier is ready.' : 'Atelier has started without the gateway.');
  bot.announce();

  return {
    connectionLost: connection.ended,
    storeLost: ownership.lost,
    prepareReload: bot.prepareReload,
    applyReload: bot.applyReload,
    async stop() {
      await bot.finish();
      await withTimeout(systemClock, CLOSE_LIMIT_MS, clients.close());
      await bot.close();
      log.info('Atelier has stopped.');
    },
  };
}

/** The limits are logged at every start, so that an operator notices wrong ones. */
const limitsOf = ({ total, server, member, direct }: Config['budgets']) => ({
  totalBudget: limitsText(total),
  serverBudget: limitsText(server),
  memberBudget: limitsText(member),
  directBudget: limitsText(direct),
});
