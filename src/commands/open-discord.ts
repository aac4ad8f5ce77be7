import { Follower } from '../discord/follower.ts';
import { Funnel } from '../discord/funnel.ts';
import { commandsByFullName, menusByName } from '../discord/handlers.ts';
import { Operator } from '../discord/operator.ts';
import { attachmentRefresher } from '../discord/outbox/attachment-refresher.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import { messageRemover } from '../discord/outbox/message-remover.ts';
import { Outbox } from '../discord/outbox/outbox.ts';
import { RateLimiter } from '../discord/rates.ts';
import { ReaderLanguages } from '../discord/reader-languages.ts';
import { createCommandLookup, DiscordReader } from '../discord/reads.ts';
import { sayIn } from '../locales/index.ts';
import type { Gateway } from '../services/gateway/gateway.ts';
import type { Discord } from '../services/orders/discord.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { alertPlan, operatorAlertPlan } from './budget/page.ts';
import type { BotContext, DiscordServices } from './command-sources.ts';
import { followedPagePlan } from './finetune/feature.ts';
import { handlers } from './index.ts';
import { erasurePage } from './tasks/own-data.ts';

/** Opens what a bot reads from Discord and writes to it. */
export function openDiscord(
  { settings, clock, log }: BotContext,
  { clients, store, gateway }: { clients: DiscordClients; store: StoredTasks; gateway: Gateway },
): DiscordServices {
  const reads = new DiscordReader(clients.reads, log);
  const outbox = new Outbox(clients, log);
  const operator = new Operator(settings.operator, outbox, reads, log);
  const quietMs = settings.followQuietMs;
  const planOf = followedPagePlan(quietMs);
  const readers = new ReaderLanguages(store, reads);
  const remover = messageRemover({ outbox, clock, log });
  const forServices: Discord = {
    ...remover,
    refreshUrls: attachmentRefresher(clients, clock, log),
    async sendBudgetAlert(alert) {
      const message =
        alert.channelId === undefined
          ? undefined
          : await outbox.sendInChannel(alert.channelId, alertPlan(alert, await readers.sayTo(alert)));
      const guild = await reads.guild(alert.guildId);
      await operator.post(operatorAlertPlan(alert, guild?.name, sayIn(settings.operator.language)));
      return message;
    },
    async notifyErased(memberId, outcome) {
      const say = await readers.sayTo({ memberId });
      return outbox.sendDirectMessage(memberId, erasurePage(outcome, say));
    },
  };
  const commandNames = [
    ...commandsByFullName(handlers.commands).keys(),
    ...menusByName(handlers.menus, sayIn()).keys(),
  ];
  return {
    clients,
    reads,
    outbox,
    operator,
    readers,
    remover,
    forServices,
    funnel: new Funnel(log),
    rateLimiter: new RateLimiter(settings.rates, clock, log),
    follows: new Follower({ rows: store.follows, fineTunes: gateway.fineTunes, outbox, clock, log, quietMs, planOf }),
    registeredCommands: createCommandLookup(clients, commandNames, clock),
  };
}
