import type { Ask, Seen } from '../discord/handlers.ts';
import { mayManageServer } from '../discord/place.ts';
import type { Services } from './services.ts';

/** Whether the place is a server whose managers may see the account. */
const isAdminGuild = ({ place, services }: Seen<Services>): boolean =>
  place.guildId !== undefined && services.adminGuildIds.includes(place.guildId);

/** Somebody who manages such a server, there: others in the channel may see the account too. The payload alone tells. */
export const isManagerAtHome = (seen: Seen<Services>): boolean => isAdminGuild(seen) && mayManageServer(seen.place);

/** Who runs the bot may see the account anywhere; everybody else sees what they used themselves. */
export async function maySeeAccount(ask: Ask<Services>): Promise<boolean> {
  return isManagerAtHome(ask) || (await ask.services.isOperator(ask.place.userId));
}

/** Whether an account's message that everybody sees may be changed: by whom it may be shown to, where it may be seen. */
export const mayChangePublic = async (ask: Ask<Services>): Promise<boolean> =>
  isAdminGuild(ask) && (await maySeeAccount(ask));
