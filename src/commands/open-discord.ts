import { Follower } from '../discord/follower.ts';
import { Funnel } from '../discord/funnel.ts';
import { commandsByFullName, menusByName } from '../discord/handlers.ts';
import { Operator } from '../discord/operator.ts';
import { attachmentRefresher } from '../discord/outbox/attachment-refresher.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import { messageRemover } from '../discord/outbox/message-remover.ts';
import { Outbox } from '../discord/outbox/outbox.ts';
import { RateLimiter } from '../discord/rates.ts';
import { createCommandLookup, DiscordReader } from '../discord/reads.ts';
import type { Gateway } from '../services/gateway/gateway.ts';
import type { Discord } from '../services/orders/discord.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { alertPlan, operatorAlertPlan } from './budget/page.ts';
import type { BotContext, DiscordServices } from './command-sources.ts';
import { followedPagePlan } from './finetune/view.ts';
import { handlers } from './index.ts';
import { erasurePage } from './tasks/own-data.ts';

/** Opens what a bot reads from Discord and writes to it. */
export function openDiscord(
  { settings, say, clock, log }: BotContext,
  { clients, store, gateway }: { clients: DiscordClients; store: StoredTasks; gateway: Gateway },
): DiscordServices {
  const reads = new DiscordReader(clients.reads, log);
  const outbox = new Outbox(clients, log);
  const operator = new Operator(settings.operator, outbox, reads, log);
  const quietMs = settings.followQuietMs;
  const planOf = followedPagePlan(quietMs, say);
  const remover = messageRemover({ outbox, clock, log });
  const forServices: Discord = {
    ...remover,
    refreshUrls: attachmentRefresher(clients, clock, log),
    async sendBudgetAlert(alert) {
      if (alert.channelId !== undefined) await outbox.sendInChannel(alert.channelId, alertPlan(alert, say));
      await operator.post(operatorAlertPlan(alert, await reads.guildName(alert.guildId), say));
    },
    notifyErased: (memberId, outcome) => outbox.sendDirectMessage(memberId, erasurePage(outcome, say)),
  };
  const commandNames = [...commandsByFullName(handlers.commands).keys(), ...menusByName(handlers.menus, say).keys()];
  return {
    clients,
    reads,
    outbox,
    operator,
    remover,
    forServices,
    funnel: new Funnel(say, log),
    rateLimiter: new RateLimiter(settings.rates, clock, log),
    follows: new Follower({ rows: store.follows, fineTunes: gateway.fineTunes, outbox, clock, log, quietMs, planOf }),
    registeredCommands: createCommandLookup(clients, commandNames, clock),
  };
}
