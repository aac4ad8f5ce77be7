import type { MessagePlan } from '../../discord/plan.ts';
import type { Author, MemberIds } from '../../services/spending/budget-changes.ts';
import { WHOLE_BOT } from '../../services/spending/budgets.ts';
import { type ServerBudget, withoutExpired } from '../../services/spending/server-budget.ts';
import type { Context } from '../services.ts';
import type { BudgetTarget } from './access.ts';

/** The options that several subcommands have. */
export const server = { type: 'text', max: 30 } as const;
export const member = { type: 'user' } as const;
export const MAX_LIMITS_LENGTH = 300;

/** Changes a budget on behalf of the member who uses the command. */
export function change(
  { guildId }: BudgetTarget,
  { services, place }: Context,
  transition: (budget: ServerBudget, author: Author) => ServerBudget,
): Promise<ServerBudget> {
  const { budgets, spending, clock } = services;
  return budgets.change(guildId, (budget) => {
    const at = clock.now();
    return transition(withoutExpired(budget, spending.countingStart, at), { by: place.userId, at });
  });
}

/** Names the server if it is not the one where the reply is read. */
export function budgetReply({ guildId }: BudgetTarget, lines: readonly string[], { place, say }: Context): MessagePlan {
  const isHere = guildId === place.guildId || guildId === WHOLE_BOT;
  return { content: [...(isHere ? [] : [say('budget.titleOther', { server: guildId })]), ...lines].join('\n') };
}

export const memberIdsOf = ({ guildId }: BudgetTarget, memberId: string, { services }: Context): MemberIds => ({
  hash: services.budgets.memberHash(guildId, memberId),
  memberId,
});
