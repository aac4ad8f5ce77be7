import { escapeText, inlineCode } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { kindNames, type Say } from '../../locales/index.ts';
import type { BudgetAlert } from '../../services/spending/alerts.ts';
import { allowanceText, leftText } from '../../services/spending/limits-text.ts';

const MAX_NAME_LENGTH = 200;

/** For readers outside the server, the title says which server the alert is about. */
export function operatorAlertPlan(alert: BudgetAlert, guildName: string | undefined, say: Say): MessagePlan {
  const id = inlineCode(alert.guildId);
  const server = guildName === undefined ? id : `${escapeText(guildName, MAX_NAME_LENGTH)} (${id})`;
  return alertPlan(alert, say, say('budget.alert.titleOther', { server }));
}

export function alertPlan({ reached }: BudgetAlert, say: Say, title: string = say('budget.alert.title')): MessagePlan {
  const lines = reached.map(({ share, allowance }) => {
    const resetsAt = Math.ceil((allowance.resetsAt ?? 0) / 1000);
    const facts = { limit: allowanceText(allowance, kindNames(say)), left: leftText(allowance), resets: resetsAt };
    return share === 100 ? say('budget.alert.reached', facts) : say('budget.alert.nearlyUsedUp', facts);
  });
  return { content: [title, ...lines].join('\n') };
}
