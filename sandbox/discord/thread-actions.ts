import { ChannelType, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { permissionsOf } from './interactions/context.ts';
import { ImpossibleActionError } from './interactions/impossible-action.ts';
import type { ActorContext } from './interactions/send.ts';
import type { Parts } from './parts.ts';
import { hasPermissions, isThread } from './permissions.ts';
import type { Post } from './post.ts';
import { startThread } from './start-thread.ts';
import type { Channel, ThreadChannel } from './world.ts';

export interface UserThreadOptions {
  /** Visible only to members who were added. */
  readonly isPrivate?: boolean;
  /** The names of the users to add; may include the bot. */
  readonly with?: readonly string[];
}

/** Starts a thread as a user, on a message or in the channel. */
export function startUserThread(
  context: ActorContext,
  name: string,
  options: UserThreadOptions,
  starterMessage: Post | undefined,
  parts: Parts,
): Channel {
  const { user, channel, guild } = context;
  const { isPrivate = false } = options;
  const permissions = permissionsOf(user, channel, guild);
  if (!hasPermissions(permissions, isPrivate ? Permission.CreatePrivateThreads : Permission.CreatePublicThreads))
    throw new ImpossibleActionError(`${user.name} cannot start this type of thread in ${channel.name}.`);
  const type = isPrivate ? ChannelType.PrivateThread : ChannelType.PublicThread;
  const thread = startThread(
    { parent: channel, owner: user, name, type, ...(starterMessage && { starterMessage }) },
    parts,
  );
  for (const userName of options.with ?? []) addToThread({ ...context, channel: thread }, userName, parts);
  return thread;
}

export function addToThread({ channel, guild }: ActorContext, name: string, parts: Parts): void {
  const { id } = parts.world.user(name);
  if (!guild?.members.has(id)) throw new ImpossibleActionError(`${name} is not a member of that server.`);
  parts.threads.join(threadOf(channel), id);
}

/** A locked thread can be reopened only with Manage Threads. */
export function archive({ user, channel, guild }: ActorContext, { locked = false }, parts: Parts): void {
  const thread = threadOf(channel);
  const canManage = hasPermissions(permissionsOf(user, channel, guild), Permission.ManageThreads);
  if (!canManage && (locked || thread.ownerId !== user.id))
    throw new ImpossibleActionError(`${user.name} cannot ${locked ? 'lock' : 'close'} ${channel.name}.`);
  parts.threads.change(thread, { archived: true, locked });
}

function threadOf(channel: Channel): ThreadChannel {
  if (!isThread(channel)) throw new ImpossibleActionError(`${channel.name} is not a thread.`);
  return channel;
}
