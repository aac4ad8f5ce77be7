import { limitsWords } from '../discord/limit-words.ts';
import type { Say } from '../locales/index.ts';
import { remainingText } from '../messages/money.ts';
import type { Allowance, Holder } from '../services/money/allowance.ts';
import type { Limits } from '../services/money/limits.ts';
import type { ServerBudget } from '../services/money/server-budget.ts';
import type { Context } from './feature.ts';

/** The limits of a server and of each of its members, and what is left of the server's. */
export function limitLines(guildId: string, budget: ServerBudget, context: Context): string[] {
  const { services, say } = context;
  const { serverLimits: ownLimits, operatorLimits, memberLimits } = budget;
  const { spending } = services.money;
  const { fallback, overriding } = spending.limits.ofOperator(guildId);
  const firstLine =
    ownLimits !== undefined
      ? say('budget.limits.server', { limits: limitsWords(ownLimits, say) })
      : operatorLimits !== undefined
        ? say('budget.limits.serverNone')
        : say('budget.limits.serverDefault', { limits: limitsWords(fallback, say) });
  const showsOperatorLimits = operatorLimits !== undefined || (ownLimits !== undefined && overriding !== undefined);
  return [
    firstLine,
    ...(showsOperatorLimits ? [say('budget.limits.operator', { limits: limitsWords(overriding ?? {}, say) })] : []),
    ...spending.serverAllowances(guildId).map((one) => remainingLine(one, say)),
    ...spending.limits.ofServer(guildId).flatMap((one) => placeLines(one, { guildId }, context)),
    memberLimits === undefined
      ? say('budget.limits.membersDefault', { limits: limitsWords(spending.limits.memberDefault, say) })
      : say('budget.limits.members', { limits: limitsWords(memberLimits, say) }),
  ];
}

export const remainingLine = (allowance: Allowance, say: Say): string =>
  leftLine(allowance.holder, remainingText(allowance, say, { showsGrant: true }), say);

export const pauseLines = ({ isPaused, unreadable }: ServerBudget, { services, say }: Context): string[] => [
  ...(services.money.budgets.isWholeBotPaused ? [say('budget.pausedEverywhere')] : []),
  ...(isPaused ? [say(unreadable ? 'budget.unreadable' : 'budget.paused')] : []),
];

/** How many more tasks of a member or of a server may wait in the queue, if that is limited. */
export function placeLines(
  { holder, limits: { waiting: max } }: { holder: Holder; limits: Limits },
  { guildId, memberId }: { guildId: string; memberId?: string },
  { services, say }: Context,
): string[] {
  if (max === undefined) return [];
  const counts = services.tasks.orders.line.countsFor({ guildId, requesterId: memberId ?? '' });
  const left = Math.max(0, max - counts[memberId === undefined ? 'server' : 'member']());
  return [leftLine(holder, say('usage.places', { left: String(left), count: max }), say)];
}

const leftLine = (holder: Holder, left: string, say: Say): string =>
  holder === 'operator' ? say('budget.leftOfOperator', { left }) : say('budget.left', { left });
