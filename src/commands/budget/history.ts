import type { MessagePlan } from '../../discord/plan.ts';
import { csv } from '../../lib/csv.ts';
import type { Say } from '../../locales/index.ts';
import { exactDollars } from '../../messages/money.ts';
import { memberMention } from '../../messages/who-is.ts';
import type { HistoryEntry } from '../../services/spending/budgets.ts';
import { newestLines } from '../newest-lines.ts';

/** Shows the newest changes, and attaches a file with all of them. */
export function historyPage(history: readonly HistoryEntry[], say: Say): MessagePlan {
  if (history.length === 0) return { content: say('budget.history.none') };
  const newestFirst = history.toReversed();
  const lines = newestLines(newestFirst.map((change) => `- ${lineOf(change, say)}`));
  const remainingCount = newestFirst.length - lines.length;
  if (remainingCount > 0) lines.push(say('budget.history.rest', { count: remainingCount }));
  const rows = newestFirst.map(
    ({ at, by = '', what, on = '', memberId = '', before = '', after = '', isEverywhere }) => {
      return [new Date(at).toISOString(), by, what, isEverywhere ? 'all servers' : memberId || on, before, after];
    },
  );
  const bytes = csv([['time', 'by', 'change', 'of', 'before', 'after'], ...rows]);
  return {
    content: [say('budget.history.title'), ...lines].join('\n'),
    files: [{ name: 'budget-history.csv', bytes }],
  };
}

function lineOf(change: HistoryEntry, say: Say): string {
  return say('budget.history.line', {
    at: Math.floor(change.at / 1000),
    who: change.isEverywhere ? say('budget.history.operator') : memberMention(change.by, say),
    what: describeChange(change, say),
  });
}

const priceText = (price: string | undefined, say: Say): string =>
  price === undefined ? say('budget.history.off') : exactDollars(price);

function describeChange({ what, on, memberId, before, after, isEverywhere }: HistoryEntry, say: Say): string {
  const member = memberMention(memberId, say);
  const values = { before: before ?? say('budget.history.default'), after: after ?? say('budget.history.default') };
  switch (what) {
    case 'role':
      return say('budget.history.what.role', { ...values, on: on ?? '' });
    case 'member':
      return say('budget.history.what.member', { ...values, member });
    case 'grant':
      return on === undefined
        ? say('budget.history.what.grantServer', { after: after ?? '' })
        : say('budget.history.what.grantMember', { after: after ?? '', member });
    case 'reset':
      return on === undefined
        ? say('budget.history.what.resetServer')
        : say('budget.history.what.resetMember', { member });
    case 'block':
      return after === undefined
        ? say('budget.history.what.block', { member })
        : say('budget.history.what.blockUntil', { member, after: `<t:${Math.ceil(Date.parse(after) / 1000)}:f>` });
    case 'unblock':
      return say('budget.history.what.unblock', { member });
    case 'alerts':
      return say('budget.history.what.alerts', { before: channelOf(before, say), after: channelOf(after, say) });
    case 'confirm-above':
      return say('budget.history.what.confirm-above', { before: priceText(before, say), after: priceText(after, say) });
    case 'show-cost':
      return say('budget.history.what.show-cost', { after: after ?? '' });
    case 'pause':
    case 'resume':
      return say(isEverywhere ? `budget.history.everywhere.${what}` : `budget.history.what.${what}`);
    case 'server-limits':
      return say('budget.history.what.server-limits', values);
    case 'operator-limits':
      return say('budget.history.what.operator-limits', values);
    case 'member-limits':
      return say('budget.history.what.member-limits', values);
  }
}

const channelOf = (id: string | undefined, say: Say): string =>
  id === undefined ? say('budget.history.off') : `<#${id}>`;
