import type { EarlyContext } from '../discord/handlers.ts';
import { mayManageServer } from '../discord/interaction-facts.ts';
import { remainingText } from '../messages/money.ts';
import { tightestAllowance } from '../services/money/allowance.ts';
import { requesterOf } from '../services/money/limits.ts';
import type { Task } from '../services/tasks/task.ts';
import type { Context } from './feature.ts';

/** Whether the command was used in a server whose admins can see the gateway account. */
const isAdminGuild = ({ facts, services }: EarlyContext): boolean =>
  facts.guildId !== undefined && services.settings.discord.adminGuildIds.includes(facts.guildId);

/** Whether an admin of such a server used the command there; the reply can then be public. Decided from the payload alone. */
export const isAdminOfAdminGuild = (context: EarlyContext): boolean =>
  isAdminGuild(context) && mayManageServer(context.facts);

/** The operator can see the gateway account anywhere; other members see only their own usage. */
export async function maySeeAccount(context: Context): Promise<boolean> {
  return isAdminOfAdminGuild(context) || (await context.services.discord.operator.isOperator(context.facts.userId));
}

/** Whether the member can change a public message about the account: only if they can see it, and in a server whose admins can see it. */
export const mayChangePublicMessage = async (context: Context): Promise<boolean> =>
  isAdminGuild(context) && (await maySeeAccount(context));

/** What remains of the member's tightest limit. Shown only for their own tasks, and where they ordered them, because other limits apply elsewhere. */
export function remainingForOwner({ requesterId, guildId }: Task, context: Context): string | undefined {
  if (requesterId !== context.facts.userId || guildId !== context.facts.guildId) return undefined;
  const allowance = tightestAllowance(context.services.money.spending.allowances(requesterOf(context.origin)));
  return allowance && remainingText(allowance, context.say);
}

/** The costs of other members are visible to those who can see the account. */
export async function maySeeCost({ requesterId }: Task, context: Context): Promise<boolean> {
  return requesterId === context.facts.userId || maySeeAccount(context);
}
