import { mayManageServer } from '../../discord/place.ts';
import { Refusal } from '../../lib/refusal.ts';
import { WHOLE_BOT } from '../../services/spending/budgets.ts';
import { maySeeAccount } from '../account-access.ts';
import type { Context } from '../services.ts';

/** The server whose budget a command concerns, and the rights of the member who uses the command. */
export interface BudgetTarget {
  guildId: string;
  /** Whether the member can change the operator's limits: true for the operator and for admins of the operator's own servers. */
  isOperator: boolean;
}

const SERVER_ID = /^\d{17,20}$/;

/** The value that the operator enters instead of a server ID to address all servers. */
export const ALL_SERVERS = 'all';

/** Returns the server where the command was used, or another one that the operator names. */
export async function budgetTarget(server: string | undefined, context: Context): Promise<BudgetTarget> {
  const { place, services } = context;
  const isOperator = await maySeeAccount(context);
  if (server === undefined || server === place.guildId) {
    if (place.guildId === undefined) throw new Refusal('refusals.budgetNoServer');
    if (!isOperator && !mayManageServer(place)) throw new Refusal('refusals.budgetNotYours');
    return { guildId: place.guildId, isOperator };
  }
  if (!isOperator) throw new Refusal('refusals.budgetOtherServer');
  if (!SERVER_ID.test(server) || !(await services.isInServer(server)))
    throw new Refusal('refusals.budgetUnknownServer', { server });
  return { guildId: server, isOperator };
}

/** Returns the target of a pause: one server, or all of them. */
export async function pauseTarget(server: string | undefined, context: Context): Promise<BudgetTarget> {
  if (server?.trim().toLowerCase() !== ALL_SERVERS) return budgetTarget(server, context);
  if (!(await maySeeAccount(context))) throw new Refusal('refusals.budgetOtherServer');
  return { guildId: WHOLE_BOT, isOperator: true };
}
