import type { Say } from '../locales/index.ts';
import { remainingText } from '../messages/money.ts';
import type { Allowance } from '../services/money/allowance.ts';
import { limitsText, quantity } from '../services/money/limits-text.ts';
import type { ServerBudget } from '../services/money/server-budget.ts';
import type { Context } from './feature.ts';

/** The limits of a server and of each of its members, and what is left of the server's. */
export const limitLines = (guildId: string, budget: ServerBudget, context: Context): string[] => [
  ...serverLines(guildId, budget, context),
  memberLimitsLine(budget, context),
];

function serverLines(
  guildId: string,
  { serverLimits: ownLimits, operatorLimits }: ServerBudget,
  { services, say }: Context,
): string[] {
  const { fallback, overriding } = services.money.spending.limits.ofOperator(guildId);
  const firstLine =
    ownLimits !== undefined
      ? say('budget.limits.server', { limits: limitsText(ownLimits) })
      : operatorLimits !== undefined
        ? say('budget.limits.serverNone')
        : say('budget.limits.serverDefault', { limits: limitsText(fallback) });
  const showsOperatorLimits = operatorLimits !== undefined || (ownLimits !== undefined && overriding !== undefined);
  return [
    firstLine,
    ...(showsOperatorLimits ? [say('budget.limits.operator', { limits: limitsText(overriding ?? {}) })] : []),
    ...services.money.spending.serverAllowances(guildId).map((one) => remainingLine(one, say)),
  ];
}

function memberLimitsLine({ memberLimits }: ServerBudget, { services, say }: Context): string {
  if (memberLimits !== undefined) return say('budget.limits.members', { limits: limitsText(memberLimits) });
  return say('budget.limits.membersDefault', { limits: limitsText(services.money.spending.limits.memberDefault) });
}

export function remainingLine(allowance: Allowance, say: Say): string {
  const left = remainingText(allowance, say);
  const line = allowance.holder === 'operator' ? say('budget.leftOfOperator', { left }) : say('budget.left', { left });
  return withGranted(line, allowance, say);
}

/** A line about what is left of a limit, with what was granted on top of it. */
export function withGranted(line: string, { granted, unit }: Allowance, say: Say): string {
  return granted === undefined ? line : say('budget.granted', { line, granted: quantity(unit, granted) });
}
