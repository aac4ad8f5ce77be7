import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { Command } from './command-registry.ts';
import { type Message, messageOf } from './exchange.ts';
import { availableCommands } from './interactions/available.ts';
import { permissionsOf } from './interactions/context.ts';
import { ImpossibleActionError } from './interactions/impossible-action.ts';
import { localizedCommand } from './localized-command.ts';
import type { Parts } from './parts.ts';
import { hasPermissions, isThread } from './permissions.ts';
import type { Post } from './post.ts';
import type { Channel, User } from './world.ts';

/** A user's view in Discord's own client. */
export interface ClientView {
  readonly user: User;
  /** All visible channels, threads, direct messages and groups. */
  readonly channels: readonly Channel[];
  canSee(channelId: string): boolean;
  canSend(channel: Channel): boolean;
  /** Texts that have a translation for the user's locale come with it. */
  availableCommands(channel: Channel): readonly Command[];
  /** The newest messages of a channel, oldest first, without other users' ephemeral messages. */
  messages(channelId: string, limit: number): readonly Message[];
  /** Undefined if it was deleted or the user does not see it. */
  message(id: string): Message | undefined;
}

export function clientViewOf(name: string, parts: Parts): ClientView {
  const { world } = parts;
  const user = world.user(name);
  const canSee = (channel: Channel) => canSeeChannel(user, channel, parts);
  const isFor = ({ viewer }: Post) => viewer === undefined || viewer === user.id;
  const show = (post: Post) => messageOf(post, parts, user.id);
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
      return parts.messages.listInChannel(channelId).filter(isFor).slice(-limit).map(show);
    },
    message: (id) => {
      const post = parts.messages.get(id);
      return post && isFor(post) && canSee(post.channel) ? show(post) : undefined;
    },
    availableCommands: (channel) =>
      availableCommands({ user, channel, guild: world.guildOf(channel) }, parts).map((one) =>
        localizedCommand(one, user.locale),
      ),
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
