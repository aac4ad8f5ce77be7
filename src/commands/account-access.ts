import type { EarlyContext, HandlerContext } from '../discord/handlers.ts';
import { mayManageServer } from '../discord/place.ts';
import { leftOf } from '../messages/money.ts';
import { tightest } from '../services/spending/allowance.ts';
import { requesterOf } from '../services/spending/spending.ts';
import type { Task } from '../services/tasks/task.ts';
import type { Services } from './services.ts';

/** Whether the command was used in a server whose admins can see the account. */
const isAdminGuild = ({ place, services }: EarlyContext): boolean =>
  place.guildId !== undefined && services.adminGuildIds.includes(place.guildId);

/** Whether one of the admins used the command in such a server. Others there can then see the account too. Decided from the payload alone. */
export const isAdminOfAdminGuild = (context: EarlyContext): boolean =>
  isAdminGuild(context) && mayManageServer(context.place);

/** The operator can see the account anywhere; other members see their own usage. */
export async function maySeeAccount(context: HandlerContext<Services>): Promise<boolean> {
  return isAdminOfAdminGuild(context) || (await context.services.isOperator(context.place.userId));
}

/** Whether the member can change a public message about the account: they must be allowed to see the account, and the server must show it. */
export const mayChangePublicMessage = async (context: HandlerContext<Services>): Promise<boolean> =>
  isAdminGuild(context) && (await maySeeAccount(context));

/** The remaining part of the member's tightest limit. Shown only for their own tasks, because the limits are theirs. */
export function remainingForOwner({ requesterId }: Task, context: HandlerContext<Services>): string | undefined {
  if (requesterId !== context.place.userId) return undefined;
  const allowance = tightest(context.services.spending.allowances(requesterOf(context.origin)));
  return allowance && leftOf(allowance, context.say);
}

/** The costs of other members are visible to those who can see the account. */
export async function maySeeCost({ requesterId }: Task, context: HandlerContext<Services>): Promise<boolean> {
  return requesterId === context.place.userId || maySeeAccount(context);
}
