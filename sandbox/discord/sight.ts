import { PermissionFlagsBits as May } from 'discord-api-types/v10';
import { offeredCommands } from './interactions/available.ts';
import { permissionsOf } from './interactions/context.ts';
import type { Parts } from './parts.ts';
import { has, isThread } from './permissions.ts';
import type { Command } from './registry.ts';
import type { Channel, User } from './world.ts';

/** What one person sees of the world, as Discord's own client shows it. */
export interface Sight {
  readonly user: User;
  /** Every channel, thread, direct message and group that is shown to them. */
  readonly channels: readonly Channel[];
  sees(channelId: string): boolean;
  maySend(channel: Channel): boolean;
  offered(channel: Channel): readonly Command[];
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
    offered: (channel) => offeredCommands({ user, channel, guild: world.guildOf(channel) }, parts),
  };
}

export function isShown(user: User, channel: Channel, { world }: Parts): boolean {
  if (channel.people) return channel.people.includes(user.id);
  return has(permissionsOf(user, channel, world.guildOf(channel)), May.ViewChannel);
}

export function maySend(user: User, channel: Channel, { world }: Parts): boolean {
  const wanted = isThread(channel) ? May.SendMessagesInThreads : May.SendMessages;
  return has(permissionsOf(user, channel, world.guildOf(channel)), wanted);
}
