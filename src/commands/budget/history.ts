import { memberMention } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { exactDollars } from '../../messages/money.ts';
import type { HistoryEntry } from '../../services/money/budgets.ts';
import { historyPage } from '../history.ts';

/** Shows who changed which limit and when, and how. */
export const budgetHistory = (history: readonly HistoryEntry[], say: Say): MessagePlan =>
  historyPage(
    history,
    {
      name: 'budget',
      whatOf: (change) => describeChange(change, say),
      whoOf: ({ isEverywhere, isFromElsewhere }) =>
        isEverywhere || isFromElsewhere ? say('budget.history.operator') : undefined,
      columns: ['change', 'of', 'before', 'after'],
      valuesOf: ({ what, on = '', memberId = '', before = '', after = '', isEverywhere }) => [
        what,
        isEverywhere ? 'all servers' : memberId || on,
        before,
        after,
      ],
    },
    say,
  );

function describeChange(change: HistoryEntry, say: Say): string {
  const { what, on = '', memberId, before, after, isEverywhere } = change;
  if (isEverywhere && (what === 'pause' || what === 'resume')) return say(`budget.history.everywhere.${what}`);
  return say(`budget.history.what.${sentenceOf(change)}`, {
    before: valueText(what, before, say),
    after: valueText(what, after, say),
    member: memberMention(memberId, say),
    on,
  });
}

function sentenceOf({ what, on, after }: HistoryEntry) {
  if (what === 'grant') return on === undefined ? 'grantServer' : 'grantMember';
  if (what === 'reset') return on === undefined ? 'resetServer' : 'resetMember';
  return what === 'block' && after !== undefined ? 'blockUntil' : what;
}

function valueText(what: HistoryEntry['what'], value: string | undefined, say: Say): string {
  switch (what) {
    case 'alerts':
      return value === undefined ? say('budget.history.off') : `<#${value}>`;
    case 'confirm-above':
      return value === undefined ? say('budget.history.off') : exactDollars(value);
    case 'block':
      return value === undefined ? '' : `<t:${Math.ceil(Date.parse(value) / 1000)}:f>`;
    default:
      return (
        value ?? say(what === 'member' || what === 'role' ? 'budget.history.noneOfTheirOwn' : 'budget.history.default')
      );
  }
}
