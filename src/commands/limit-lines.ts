import { limitsWords } from '../discord/limit-words.ts';
import type { Say } from '../locales/index.ts';
import { remainingText } from '../messages/money.ts';
import type { Allowance } from '../services/money/allowance.ts';
import type { ServerBudget } from '../services/money/server-budget.ts';
import type { Context } from './feature.ts';

/** The limits of a server and of each of its members, and what is left of the server's. */
export function limitLines(guildId: string, budget: ServerBudget, { services, say }: Context): string[] {
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
    memberLimits === undefined
      ? say('budget.limits.membersDefault', { limits: limitsWords(spending.limits.memberDefault, say) })
      : say('budget.limits.members', { limits: limitsWords(memberLimits, say) }),
  ];
}

export function remainingLine(allowance: Allowance, say: Say): string {
  const left = remainingText(allowance, say, { showsGrant: true });
  return allowance.holder === 'operator' ? say('budget.leftOfOperator', { left }) : say('budget.left', { left });
}
