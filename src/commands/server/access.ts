import { mayManageServer } from '../../discord/place.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Author } from '../../services/rules/server-rules.ts';
import type { Context } from '../services.ts';

/** Returns the server of the interaction, or refuses if the member cannot change its rules. Checked on every command, press and form. */
export function managedServer({ place, services }: Context): { guildId: string; author: Author } {
  const { guildId, userId, install } = place;
  if (guildId === undefined || install !== 'guild') throw new Refusal('refusals.rules.noServer');
  if (!mayManageServer(place)) throw new Refusal('refusals.rules.notYours');
  return { guildId, author: { by: userId, at: services.clock.now() } };
}
