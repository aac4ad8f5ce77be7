import type { MessagePlan } from '../../discord/plan.ts';
import { kindNames, type Say } from '../../locales/index.ts';
import type { BudgetAlert } from '../../services/spending/alerts.ts';
import { allowanceText, leftText } from '../../services/spending/limits-text.ts';

/** With `elsewhere`, the title names the server, because readers outside it need to know which server the alert is about. */
export function alertPlan({ reached, guildId }: BudgetAlert, location: 'here' | 'elsewhere', say: Say): MessagePlan {
  const title = location === 'here' ? say('budget.alert.title') : say('budget.alert.titleOther', { server: guildId });
  const lines = reached.map(({ share, allowance }) => {
    const resetsAt = Math.ceil((allowance.resetsAt ?? 0) / 1000);
    const facts = { limit: allowanceText(allowance, kindNames(say)), left: leftText(allowance), resets: resetsAt };
    return share === 100 ? say('budget.alert.reached', facts) : say('budget.alert.nearlyUsedUp', facts);
  });
  return { content: [title, ...lines].join('\n') };
}
