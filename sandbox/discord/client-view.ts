import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { Command } from './command-registry.ts';
import { type Message, messageOf } from './exchange.ts';
import { availableCommands } from './interactions/available.ts';
import { permissionsOf } from './interactions/context.ts';
import { ImpossibleActionError } from './interactions/impossible-action.ts';
import type { Parts } from './parts.ts';
import { hasPermissions, isThread } from './permissions.ts';
import type { Channel, User } from './world.ts';

/** A user's view in Discord's own client. */
export interface ClientView {
  readonly user: User;
  /** All visible channels, threads, direct messages and groups. */
  readonly channels: readonly Channel[];
  canSee(channelId: string): boolean;
  canSend(channel: Channel): boolean;
  availableCommands(channel: Channel): readonly Command[];
  /** The newest messages of a channel, oldest first, without other users' ephemeral messages. */
  messages(channelId: string, limit: number): readonly Message[];
}

export function clientViewOf(name: string, parts: Parts): ClientView {
  const { world } = parts;
  const user = world.user(name);
  const canSee = (channel: Channel) => canSeeChannel(user, channel, parts);
  return {
    user,
    channels: [...world.channels.values()].filter(canSee),
    canSee: (id) => {
      const channel = world.channels.get(id);
      return channel !== undefined && canSee(channel);
    },
    canSend: (channel) => canSend(user, channel, parts),
    messages: (channelId, limit) => {
      const channel = world.channels.get(channelId);
      if (!channel || !canSee(channel)) throw new ImpossibleActionError(`${user.name} cannot see that channel.`);
      const posts = parts.messages
        .listInChannel(channelId)
        .filter(({ viewer }) => viewer === undefined || viewer === user.id);
      return posts.slice(-limit).map((post) => messageOf(post, parts));
    },
    availableCommands: (channel) => availableCommands({ user, channel, guild: world.guildOf(channel) }, parts),
  };
}

export function canSeeChannel(user: User, channel: Channel, { world }: Parts): boolean {
  if (channel.recipientIds) return channel.recipientIds.includes(user.id);
  return hasPermissions(permissionsOf(user, channel, world.guildOf(channel)), Permission.ViewChannel);
}

export function canSend(user: User, channel: Channel, { world }: Parts): boolean {
  const permissions = permissionsOf(user, channel, world.guildOf(channel));
  if (!isThread(channel)) return hasPermissions(permissions, Permission.SendMessages);
  return (
    hasPermissions(permissions, Permission.SendMessagesInThreads) &&
    (!channel.thread.locked || hasPermissions(permissions, Permission.ManageThreads))
  );
}
