import { alertPlan, operatorAlertPlan } from '../commands/budget/page.ts';
import { say } from '../commands/index.ts';
import { erasureOutcome } from '../commands/tasks/own-data.ts';
import type { Config } from '../config.ts';
import { Operator } from '../discord/operator.ts';
import { attachmentRefresher } from '../discord/outbox/attachment-addresses.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import { Outbox } from '../discord/outbox/outbox.ts';
import { messageRemover } from '../discord/outbox/removal.ts';
import { DiscordReader } from '../discord/reads.ts';
import type { AppContext } from '../lib/app-context.ts';
import type { Discord } from '../services/orders/discord.ts';

/** Opens what a bot reads from Discord and writes to it. */
export function openDiscord({ clock, log }: AppContext, config: Config, clients: DiscordClients) {
  const reads = new DiscordReader(clients.reads, log);
  const outbox = new Outbox(clients, log);
  const operator = new Operator(config.operator, outbox, reads, log);
  const remover = messageRemover({ outbox, clock, log });
  const forServices: Discord = {
    ...remover,
    refreshUrls: attachmentRefresher(clients, clock, log),
    async sendBudgetAlert(alert) {
      if (alert.channelId !== undefined) await outbox.sendInChannel(alert.channelId, alertPlan(alert, say));
      await operator.post(operatorAlertPlan(alert, await reads.guildName(alert.guildId), say));
    },
    notifyErased: (memberId, outcome) => outbox.sendDirectMessage(memberId, erasureOutcome(outcome, say)),
  };
  return { clients, reads, outbox, operator, remover, forServices };
}
