import { createDirectMessageChannel } from './create-world.ts';
import type { Parts } from './parts.ts';
import type { Channel, User } from './world.ts';

/** Returns the direct message channel between the application and a user, and creates it if necessary. */
export function directMessageChannel(user: User, { world, id, stream }: Parts): Channel {
  const known = world.directMessage(user.id);
  if (known) return known;
  const opened = createDirectMessageChannel(id(), [user.id], true);
  world.addChannel(opened);
  stream.tell({ kind: 'world', what: { channel: opened.id } });
  return opened;
}
