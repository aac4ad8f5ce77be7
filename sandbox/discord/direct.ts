import { direct } from './furnish.ts';
import type { Parts } from './parts.ts';
import type { Channel, User } from './world.ts';

/** The direct message between the application and one person, opened where there is none yet. */
export function directWith(user: User, { world, id, stream }: Parts): Channel {
  const known = world.directMessage(user.id);
  if (known) return known;
  const opened = direct(id(), [user.id], true);
  world.addChannel(opened);
  stream.tell({ kind: 'world', what: { channel: opened.id } });
  return opened;
}
