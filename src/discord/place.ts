import {
  type BaseInteraction,
  ChannelType,
  InteractionContextType,
  MessageFlags,
  PermissionFlagsBits,
} from 'discord.js';
import { z } from 'zod';
import { RecentMap } from '../lib/recent-map.ts';
import type { OrderOrigin } from '../services/tasks/orders.ts';
import type { Route } from '../services/tasks/task.ts';

/** What the payload of an interaction says about it: where it happened, who triggered it, and what they and the bot are allowed to do there. */
export interface InteractionFacts {
  userId: string;
  guildId: string | undefined;
  channelId: string | undefined;
  /** Undefined if the payload does not contain it. */
  channelType: ChannelType | undefined;
  /** The parent channel of the thread; undefined if it is not a thread. */
  parentChannelId: string | undefined;
  /** Unknown in a thread, where it counts as not restricted. */
  isAgeRestricted: boolean;
  locale: string;
  /** When the interaction was created, by Discord's clock. */
  createdAt: number;
  /** The permissions of the member; none in direct messages. */
  permissions: bigint;
  /** The roles of the member; none in direct messages. */
  roleIds: readonly string[];
  appPermissions: bigint;
  /** The size limit of attachments, in bytes. */
  uploadLimit: number;
  /** Whether the server or only the user has installed the bot. */
  install: 'guild' | 'user';
}

export function interactionFactsOf(
  interaction: BaseInteraction,
  { type, parentId, isAgeRestricted = false }: Partial<ChannelFacts> = {},
): InteractionFacts {
  const { guildId, channelId, user, locale, memberPermissions, appPermissions, attachmentSizeLimit, createdTimestamp } =
    interaction;
  // Key "0" is the server that installed the bot; in a direct message with the bot it is "0" too.
  const isGuildInstall = interaction.authorizingIntegrationOwners?.['0'] !== undefined;
  return {
    userId: user.id,
    guildId: guildId ?? undefined,
    channelId: channelId ?? undefined,
    channelType: type,
    parentChannelId: parentId,
    isAgeRestricted,
    locale,
    createdAt: createdTimestamp,
    permissions: memberPermissions?.bitfield ?? 0n,
    roleIds: roleIdsOf(interaction.member),
    appPermissions: appPermissions.bitfield,
    uploadLimit: attachmentSizeLimit,
    install: isGuildInstall ? 'guild' : 'user',
  };
}

/** If the server is not cached, the library passes on the raw member object from the payload. */
export function roleIdsOf(member: Pick<NonNullable<BaseInteraction['member']>, 'roles'> | null): string[] {
  const roles = member?.roles ?? [];
  return Array.isArray(roles) ? roles : [...roles.cache.keys()];
}

/** An administrator is allowed to do everything, but Discord does not always set each bit for them. */
const mayDo =
  (bit: bigint) =>
  ({ permissions }: InteractionFacts): boolean =>
    (permissions & (bit | PermissionFlagsBits.Administrator)) !== 0n;

export const mayManageMessages = mayDo(PermissionFlagsBits.ManageMessages);
export const mayManageServer = mayDo(PermissionFlagsBits.ManageGuild);

/** Who made a request, where, and how to reach them: the part of an interaction that a task stores. */
export type Origin = OrderOrigin;

/**
 * How a press is answered. `here`: the message whose button was pressed is edited; `new-message`: a new message, as private
 * as that one; `new-private`: a new message that only the member sees; `new-public`: a new message that everyone sees.
 */
export type ReplyMode = 'here' | 'new-message' | 'new-private' | 'new-public';

export function originOf(interaction: BaseInteraction, isPrivate: boolean): Origin {
  const { userId: requesterId, guildId, channelId, roleIds } = interactionFactsOf(interaction);
  return { requesterId, guildId, channelId, roleIds, route: routeOf(interaction, { isPrivate }) };
}

export interface PressedMessage {
  id: string;
  channelId: string;
  flags: { has(flag: MessageFlags): boolean };
}

export function pressOrigin(
  interaction: BaseInteraction,
  pressedMessage: PressedMessage,
  replyMode: ReplyMode,
): Origin {
  const isPrivate =
    replyMode === 'new-private' || (replyMode !== 'new-public' && pressedMessage.flags.has(MessageFlags.Ephemeral));
  const origin = originOf(interaction, isPrivate);
  return replyMode !== 'here'
    ? origin
    : { ...origin, message: { channelId: pressedMessage.channelId, id: pressedMessage.id } };
}

/** How long an interaction's token works (https://discord.com/developers/docs/interactions/receiving-and-responding). */
export const TOKEN_LIFETIME_MS = 15 * 60_000;

export function routeOf(interaction: BaseInteraction, { isPrivate }: { isPrivate: boolean }): Route {
  const { install, uploadLimit, locale } = interactionFactsOf(interaction);
  // If only a user has installed the application, its bot is present only in its own direct messages.
  const isPresent = install === 'guild' || interaction.context === InteractionContextType.BotDM;
  return {
    applicationId: interaction.applicationId,
    interactionId: interaction.id,
    token: interaction.token,
    tokenExpiresAt: interaction.createdTimestamp + TOKEN_LIFETIME_MS,
    isPrivate,
    install,
    mayPost: isPresent && mayPost(interaction),
    maySpeak: interaction.appPermissions.has(PermissionFlagsBits.SendVoiceMessages),
    uploadLimit,
    locale,
  };
}

function mayPost({ appPermissions, channel, context }: BaseInteraction): boolean {
  // In its own direct messages the bot can write, although the permissions that Discord reports there do not say so
  // (https://discord.com/developers/docs/interactions/receiving-and-responding, "app_permissions").
  if (context === InteractionContextType.BotDM) return true;
  // The channels of servers are not cached, so we do not know whether this one is a thread. A false positive costs one refused
  // request; a false negative would give up a route that works.
  const maySend =
    channel === null
      ? appPermissions.any(PermissionFlagsBits.SendMessages | PermissionFlagsBits.SendMessagesInThreads)
      : appPermissions.has(
          channel.isThread() ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages,
        );
  return maySend && appPermissions.has(PermissionFlagsBits.ViewChannel | PermissionFlagsBits.AttachFiles);
}

/** A small number is enough: interactions are handled as soon as they arrive, except those that the library holds back until it is ready. */
const MAX_REMEMBERED_CHANNELS = 1_000;

const channel = z.object({ type: z.number(), parent_id: z.string().nullish(), nsfw: z.boolean().nullish() });

const interactionCreatePacket = z.object({
  t: z.literal('INTERACTION_CREATE'),
  d: z.object({ id: z.string(), channel }),
});

const { PublicThread, PrivateThread, AnnouncementThread } = ChannelType;
export const THREAD_TYPES: ReadonlySet<unknown> = new Set([PublicThread, PrivateThread, AnnouncementThread]);

interface ChannelFacts {
  type: ChannelType;
  parentId: string | undefined;
  isAgeRestricted: boolean;
}

/** The channel of each interaction. The payload contains it, but the library exposes it only for cached servers. */
export class InteractionChannels {
  readonly #channels = new RecentMap<string, ChannelFacts>(MAX_REMEMBERED_CHANNELS);

  readPacket(packet: unknown): void {
    const { d: interaction } = interactionCreatePacket.safeParse(packet).data ?? {};
    if (!interaction) return;
    const { type, parent_id: parentId, nsfw } = interaction.channel;
    this.#channels.set(interaction.id, {
      type,
      parentId: THREAD_TYPES.has(type) ? (parentId ?? undefined) : undefined,
      isAgeRestricted: nsfw === true,
    });
  }

  get(interactionId: string): ChannelFacts | undefined {
    return this.#channels.get(interactionId);
  }
}
