import { type BaseInteraction, InteractionContextType, PermissionFlagsBits as May, MessageFlags } from 'discord.js';
import type { Whence } from '../services/tasks/orders.ts';
import type { Route } from '../services/tasks/task.ts';
import { placeOf } from './place.ts';

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

/** How long an interaction may be answered (https://discord.com/developers/docs/interactions/receiving-and-responding). */
export const TOKEN_LIFE_MS = 15 * 60_000;

/** What an interaction tells of the ways back to its member, kept with the task that it began. */
export function routeOf(interaction: BaseInteraction, { isPrivate }: { isPrivate: boolean }): Route {
  const { install, uploadLimit, locale } = placeOf(interaction);
  return {
    applicationId: interaction.applicationId,
    token: interaction.token,
    tokenExpiresAt: interaction.createdTimestamp + TOKEN_LIFE_MS,
    isPrivate,
    install,
    mayPost: isThere(interaction, install) && mayPost(interaction),
    maySpeak: interaction.appPermissions.has(May.SendVoiceMessages),
    uploadLimit,
    locale,
  };
}

/** Where only a person has installed the application, its bot is nowhere but in its own direct messages. */
function isThere({ context }: BaseInteraction, install: Route['install']): boolean {
  return install === 'guild' || context === InteractionContextType.BotDM;
}

function mayPost({ appPermissions, channel, context }: BaseInteraction): boolean {
  // In its own direct messages the bot may write, though the permissions there do not name it
  // (https://discord.com/developers/docs/interactions/receiving-and-responding, "app_permissions").
  if (context === InteractionContextType.BotDM) return true;
  // Without the servers' channels in memory nobody knows whether this one is a thread. To believe too much costs one refused
  // message; to believe too little would lose a way that exists.
  const maySend =
    channel === null
      ? appPermissions.any(May.SendMessages | May.SendMessagesInThreads)
      : appPermissions.has(channel.isThread() ? May.SendMessagesInThreads : May.SendMessages);
  return maySend && appPermissions.has(May.ViewChannel | May.AttachFiles);
}
