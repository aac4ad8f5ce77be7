import type { Author, MemberIds } from '../../services/spending/budget-changes.ts';
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

export const memberIdsOf = ({ guildId }: BudgetTarget, memberId: string, { services }: Context): MemberIds => ({
  hash: services.budgets.memberHash(guildId, memberId),
  memberId,
});
