import { createDirectMessageChannel } from './create-world.ts';
import type { Parts } from './parts.ts';
import type { Channel, User } from './world.ts';

/** Returns the direct message channel between the application and a user, and creates it if necessary. */
export function directMessageChannel(user: User, { world, id, stream }: Parts): Channel {
  const existing = world.directMessage(user.id);
  if (existing) return existing;
  const channel = createDirectMessageChannel(id(), [user.id], true);
  world.addChannel(channel);
  stream.publish({ kind: 'world', what: { channel: channel.id } });
  return channel;
}
