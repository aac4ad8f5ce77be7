import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import { botPermissions, hasPermissions, isThread } from '../permissions.ts';
import type { Post } from '../post.ts';
import {
  missingAccess,
  missingPermissions,
  threadIsArchived,
  threadIsLocked,
  unknownChannel,
  unknownMessage,
} from '../refusal.ts';
import type { Channel } from '../world.ts';

/** Throws 10003 for an unknown channel, 50001 without View Channel, and 50013 without the required permissions. */
export function channelFor(id: string, required: bigint, parts: Parts): Channel {
  const channel = parts.world.channels.get(id);
  if (!channel) throw unknownChannel();
  const permissions = botPermissions(channel, parts);
  if (!hasPermissions(permissions, Permission.ViewChannel)) throw missingAccess();
  if (!hasPermissions(permissions, required)) throw missingPermissions();
  return channel;
}

export const sendPermission = (id: string, parts: Parts): bigint => {
  const channel = parts.world.channels.get(id);
  return channel && isThread(channel) ? Permission.SendMessagesInThreads : Permission.SendMessages;
};

/** The bot token cannot access ephemeral messages. */
export function messageIn(channel: Channel, id: string, { messages }: Parts): Post {
  const post = messages.get(id);
  if (!post || post.channel !== channel || post.viewer !== undefined) throw unknownMessage();
  return post;
}

/** Sending a message unarchives a thread, but an edit does not; locked threads require Manage Threads. */
export function checkThreadState(channel: Channel, action: 'send' | 'edit', parts: Parts): void {
  const { thread } = channel;
  if (!thread) return;
  if (action === 'edit' && thread.archived) throw threadIsArchived();
  if (!thread.locked || hasPermissions(botPermissions(channel, parts), Permission.ManageThreads)) return;
  throw thread.archived ? threadIsArchived() : threadIsLocked();
}
