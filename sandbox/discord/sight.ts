import { PermissionFlagsBits as May } from 'discord-api-types/v10';
import { type Message, messageOf } from './exchange.ts';
import { offeredCommands } from './interactions/available.ts';
import { permissionsOf } from './interactions/context.ts';
import { ImpossibleActionError } from './interactions/refuse.ts';
import type { Parts } from './parts.ts';
import { has, isThread } from './permissions.ts';
import type { Command } from './registry.ts';
import type { Channel, User } from './world.ts';

/** What a user sees in Discord's own client. */
export interface Sight {
  readonly user: User;
  /** All visible channels, threads, direct messages and groups. */
  readonly channels: readonly Channel[];
  sees(channelId: string): boolean;
  maySend(channel: Channel): boolean;
  offered(channel: Channel): readonly Command[];
  /** The newest messages of a channel, oldest first, without other users' ephemeral messages. */
  messages(channelId: string, most: number): readonly Message[];
}

export function sightOf(name: string, parts: Parts): Sight {
  const { world } = parts;
  const user = world.user(name);
  const sees = (channel: Channel) => isShown(user, channel, parts);
  return {
    user,
    channels: [...world.channels.values()].filter(sees),
    sees: (id) => {
      const channel = world.channels.get(id);
      return channel !== undefined && sees(channel);
    },
    maySend: (channel) => maySend(user, channel, parts),
    messages: (channelId, most) => {
      const channel = world.channels.get(channelId);
      if (!channel || !sees(channel)) throw new ImpossibleActionError(`${user.name} cannot see that channel.`);
      const posts = parts.messages.in(channelId).filter(({ viewer }) => viewer === undefined || viewer === user.id);
      return posts.slice(-most).map((post) => messageOf(post, parts));
    },
    offered: (channel) => offeredCommands({ user, channel, guild: world.guildOf(channel) }, parts),
  };
}

export function isShown(user: User, channel: Channel, { world }: Parts): boolean {
  if (channel.people) return channel.people.includes(user.id);
  return has(permissionsOf(user, channel, world.guildOf(channel)), May.ViewChannel);
}

export function maySend(user: User, channel: Channel, { world }: Parts): boolean {
  const may = permissionsOf(user, channel, world.guildOf(channel));
  if (!isThread(channel)) return has(may, May.SendMessages);
  return has(may, May.SendMessagesInThreads) && (!channel.thread.locked || has(may, May.ManageThreads));
}
