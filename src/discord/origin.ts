import { type BaseInteraction, MessageFlags } from 'discord.js';
import type { Whence } from '../services/tasks/orders.ts';
import { routeOf } from './route.ts';

/** Who asked, from where, and the ways back: what a task keeps of an interaction. */
export type Origin = Whence;

export function originOf(interaction: BaseInteraction, isPrivate: boolean): Origin {
  const { guildId, channelId, user } = interaction;
  return {
    requesterId: user.id,
    guildId: guildId ?? undefined,
    channelId: channelId ?? undefined,
    route: routeOf(interaction, { isPrivate }),
  };
}

/** A press changes the message it stands on: what comes of it is as private as that, and is shown there. */
export function pressOrigin(interaction: BaseInteraction & { message: PressedMessage }): Origin {
  const { message } = interaction;
  const origin = originOf(interaction, message.flags.has(MessageFlags.Ephemeral));
  return { ...origin, message: { channelId: message.channelId, id: message.id } };
}

interface PressedMessage {
  id: string;
  channelId: string;
  flags: { has(flag: MessageFlags): boolean };
}
