import { type BaseInteraction, MessageFlags } from 'discord.js';
import type { Whence } from '../services/tasks/orders.ts';
import { routeOf } from './route.ts';

/** Who asked, from where, and the ways back: what a task keeps of an interaction. */
export type Origin = Whence;

/**
 * here: what comes of it changes the message that was pressed; beside: it is a message of its own, as private as that;
 * aside: one that only whoever pressed can see; openly: one that everybody sees, whoever sees the one that was pressed.
 */
export type Answers = 'here' | 'beside' | 'aside' | 'openly';

export function originOf(interaction: BaseInteraction, isPrivate: boolean): Origin {
  const { guildId, channelId, user } = interaction;
  return {
    requesterId: user.id,
    guildId: guildId ?? undefined,
    channelId: channelId ?? undefined,
    route: routeOf(interaction, { isPrivate }),
  };
}

/** What comes of a press is as private as the message that was pressed, and shown in that one or beside it. */
export function pressOrigin(interaction: BaseInteraction, pressed: Pressed, answers: Answers): Origin {
  const isPrivate = answers === 'aside' || (answers !== 'openly' && pressed.flags.has(MessageFlags.Ephemeral));
  const origin = originOf(interaction, isPrivate);
  return answers !== 'here' ? origin : { ...origin, message: { channelId: pressed.channelId, id: pressed.id } };
}

export interface Pressed {
  id: string;
  channelId: string;
  flags: { has(flag: MessageFlags): boolean };
}
