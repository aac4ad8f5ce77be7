import { grantWords, limitsWords } from '../../discord/limit-words.ts';
import { memberMention } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { exactDollars } from '../../lib/formats.ts';
import type { Say } from '../../locales/index.ts';
import type { HistoryEntry } from '../../services/money/budgets.ts';
import { parseGrant, parseLimits } from '../../services/money/limits-text.ts';
import { historyPage } from '../history.ts';

/** Shows who changed which limit and when, and how. `kinds`: those that can have limits of their own. */
export const budgetHistory = (history: readonly HistoryEntry[], kinds: readonly string[], say: Say): MessagePlan =>
  historyPage(
    history,
    {
      name: 'budget',
      whatOf: (change) => describeChange(change, kinds, say),
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

function describeChange(change: HistoryEntry, kinds: readonly string[], say: Say): string {
  const { what, on = '', memberId, before, after, isEverywhere } = change;
  if (isEverywhere && (what === 'pause' || what === 'resume')) return say(`budget.history.everywhere.${what}`);
  return say(`budget.history.what.${sentenceOf(change)}`, {
    before: valueText(what, before, kinds, say),
    after: valueText(what, after, kinds, say),
    member: memberMention(memberId, say),
    on,
  });
}

function sentenceOf({ what, on, after }: HistoryEntry) {
  if (what === 'grant' && after === undefined) return on === undefined ? 'takeBackServer' : 'takeBackMember';
  if (what === 'grant') return on === undefined ? 'grantServer' : 'grantMember';
  if (what === 'show-cost') return after === 'on' ? 'show-cost-on' : 'show-cost-off';
  if (what === 'reset') return on === undefined ? 'resetServer' : 'resetMember';
  return what === 'block' && after !== undefined ? 'blockUntil' : what;
}

function valueText(what: HistoryEntry['what'], value: string | undefined, kinds: readonly string[], say: Say): string {
  switch (what) {
    case 'alerts':
      return value === undefined ? say('budget.history.off') : `<#${value}>`;
    case 'confirm-above':
      return value === undefined ? say('budget.history.off') : exactDollars(value, say);
    case 'block':
      return value === undefined ? '' : `<t:${Math.ceil(Date.parse(value) / 1000)}:f>`;
    case 'grant': {
      const grant = parseGrant(value ?? '');
      return grant ? grantWords(grant, say) : (value ?? '');
    }
    default: {
      if (value === undefined)
        return say(what === 'member' || what === 'role' ? 'budget.history.noneOfTheirOwn' : 'budget.history.default');
      const limits = parseLimits(value, kinds);
      return limits ? limitsWords(limits, say) : value;
    }
  }
}
