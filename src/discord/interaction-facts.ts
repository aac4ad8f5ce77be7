import {
  type APIInteraction,
  type APIMessage,
  type APIPingInteraction,
  ChannelType,
  InteractionContextType,
  MessageFlags,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { OrderOrigin } from '../services/orders/orders.ts';
import type { Route } from '../services/tasks/task.ts';
import { timestampOf } from './snowflake.ts';

/** An interaction as Discord sends it. The library's own objects leave out the channels of servers that are not cached. */
export type Interaction = Exclude<APIInteraction, APIPingInteraction>;

/** How the bot was installed where an interaction happened. */
export interface InteractionPlace {
  guildId: string | undefined;
  /** Whether the server or only the user has installed the bot. */
  install: 'guild' | 'user';
}

/** What the payload of an interaction says about it: where it happened, who triggered it, and what they and the bot are allowed to do there. */
export type InteractionFacts = ReturnType<typeof interactionFactsOf>;

const { PublicThread, PrivateThread, AnnouncementThread } = ChannelType;
export const THREAD_TYPES: ReadonlySet<unknown> = new Set([PublicThread, PrivateThread, AnnouncementThread]);

export function interactionFactsOf(interaction: Interaction) {
  const { id, guild_id: guildId, channel, member, user = member?.user, locale, app_permissions } = interaction;
  const isThread = THREAD_TYPES.has(channel?.type);
  // Key "0" is the server that installed the bot; in a direct message with the bot it is "0" too.
  const isGuildInstall = interaction.authorizing_integration_owners?.['0'] !== undefined;
  const place: InteractionPlace & { channelType: ChannelType | undefined; locale: string } = {
    guildId,
    install: isGuildInstall ? 'guild' : 'user',
    /** Undefined if the payload does not contain it. */
    channelType: channel?.type,
    /** The language of the member's Discord. */
    locale,
  };
  return {
    ...place,
    userId: user?.id ?? '',
    channelId: channel?.id,
    parentChannelId: isThread && channel && 'parent_id' in channel ? (channel.parent_id ?? undefined) : undefined,
    /** Unknown in a thread, where it counts as not restricted. */
    isAgeRestricted: channel !== undefined && 'nsfw' in channel && channel.nsfw === true,
    /** The language of the server. */
    guildLocale: interaction.guild_locale,
    /** When the interaction was created, by Discord's clock. */
    createdAt: timestampOf(id),
    /** The permissions of the member; none in direct messages. */
    permissions: BigInt(member?.permissions ?? 0),
    roleIds: member?.roles ?? [],
    appPermissions: BigInt(app_permissions),
    uploadLimit: interaction.attachment_size_limit,
  };
}

/** Whether one of these permissions is granted. An administrator is allowed to do everything, but Discord does not always set each bit for them. */
export const grantsAny = (granted: bigint, bits: bigint): boolean =>
  (granted & (bits | PermissionFlagsBits.Administrator)) !== 0n;

const mayDo =
  (bit: bigint) =>
  ({ permissions }: InteractionFacts): boolean =>
    grantsAny(permissions, bit);

export const mayManageMessages = mayDo(PermissionFlagsBits.ManageMessages);
export const mayManageChannels = mayDo(PermissionFlagsBits.ManageChannels);
export const mayManageServer = mayDo(PermissionFlagsBits.ManageGuild);

/** Who made a request, where, and how to reach them: the part of an interaction that a task stores. */
export type Origin = OrderOrigin;

/**
 * How a press is answered. `here`: the message whose button was pressed is edited; `new-message`: a new message, as private
 * as that one; `new-private`: a new message that only the member sees; `new-public`: a new message that everyone sees.
 */
export type ReplyMode = 'here' | 'new-message' | 'new-private' | 'new-public';

export function originOf(interaction: Interaction, isPrivate: boolean): Origin {
  const { userId: requesterId, guildId, channelId, roleIds } = interactionFactsOf(interaction);
  return { requesterId, guildId, channelId, roleIds, route: routeOf(interaction, { isPrivate }) };
}

export const isEphemeral = ({ flags }: APIMessage): boolean => ((flags ?? 0) & MessageFlags.Ephemeral) !== 0;

export function pressOrigin(interaction: Interaction, pressedMessage: APIMessage, replyMode: ReplyMode): Origin {
  const isPrivate = replyMode === 'new-private' || (replyMode !== 'new-public' && isEphemeral(pressedMessage));
  const origin = originOf(interaction, isPrivate);
  return replyMode !== 'here'
    ? origin
    : { ...origin, message: { channelId: pressedMessage.channel_id, id: pressedMessage.id } };
}

/** How long an interaction's token works (https://discord.com/developers/docs/interactions/receiving-and-responding). */
export const TOKEN_LIFETIME_MS = 15 * 60_000;

function routeOf(interaction: Interaction, { isPrivate }: { isPrivate: boolean }): Route {
  const { channelType, install, uploadLimit, locale, createdAt, appPermissions } = interactionFactsOf(interaction);
  const isBotDM = interaction.context === InteractionContextType.BotDM;
  return {
    applicationId: interaction.application_id,
    interactionId: interaction.id,
    token: interaction.token,
    tokenExpiresAt: createdAt + TOKEN_LIFETIME_MS,
    isPrivate,
    ...(channelType === PrivateThread && { isInPrivateThread: true }),
    install,
    // If only a user has installed the application, its bot is present only in its own direct messages, where it can write although the
    // permissions that Discord reports there do not say so (https://discord.com/developers/docs/interactions/receiving-and-responding,
    // "app_permissions").
    mayPost: isBotDM || (install === 'guild' && mayPost(appPermissions)),
    maySpeak: grantsAny(appPermissions, PermissionFlagsBits.SendVoiceMessages),
    uploadLimit,
    locale,
  };
}

/** In a thread only one of the two is needed. A false positive costs one refused request; a false negative would give up a route that works. */
const mayPost = (granted: bigint): boolean =>
  grantsAny(granted, PermissionFlagsBits.SendMessages | PermissionFlagsBits.SendMessagesInThreads) &&
  grantsAny(granted, PermissionFlagsBits.ViewChannel) &&
  grantsAny(granted, PermissionFlagsBits.AttachFiles);
