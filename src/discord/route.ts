import { type BaseInteraction, InteractionContextType, PermissionFlagsBits as May } from 'discord.js';
import type { Route } from '../services/tasks/task.ts';
import { placeOf } from './place.ts';

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
