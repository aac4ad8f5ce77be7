import { GatewayDispatchEvents as Events, type GatewayDispatchPayload } from 'discord-api-types/v10';
import { z } from 'zod';
import { taskIdsIn } from './target-message.ts';

export interface MessageFile {
  address: string;
  name: string;
  mediaType?: string | undefined;
}

/** Everything but interactions, most of which is not about messages to the bot. */
export type MessageDispatch = GatewayDispatchPayload;

/** A message that a member has written to the bot, or in a thread where a conversation takes place. */
export type MemberMessage = NonNullable<ReturnType<typeof memberMessageIn>>;
export type RepliedMessage = NonNullable<MemberMessage['repliedTo']>;

/** Ordinary messages and replies; the other types are Discord's own notices. */
const ORDINARY_TYPES: ReadonlySet<number> = new Set([0, 19]);
/** Discord's own limits: of a member with Nitro, and of a message. */
const MAX_CONTENT_LENGTH = 4_000;
const MAX_FILES = 10;

const attachments = z
  .array(z.object({ url: z.string(), filename: z.string(), content_type: z.string().nullish() }))
  .default([]);
const author = z.object({ id: z.string(), bot: z.boolean().optional(), system: z.boolean().optional() });

const messagePacket = z.object({
  t: z.enum([Events.MessageCreate, Events.MessageUpdate]),
  d: z.object({
    id: z.string(),
    type: z.number(),
    channel_id: z.string(),
    guild_id: z.string().optional(),
    webhook_id: z.undefined().optional(),
    author,
    member: z.object({ roles: z.array(z.string()) }).optional(),
    content: z.string(),
    attachments,
    mentions: z.array(z.object({ id: z.string() })).default([]),
    referenced_message: z
      .object({
        author,
        content: z.string().default(''),
        attachments,
        components: z.unknown().optional(),
        interaction_metadata: z.unknown().optional(),
      })
      .nullish()
      .catch(undefined),
  }),
});
type MessagePacket = z.output<typeof messagePacket>;

/** Whether a message mentions the bot, replies to it or is a direct message to it. Every message of every server passes here, so it looks at nothing else. */
export const isMessageForBot = (
  { guild_id, mentions }: { guild_id?: string | undefined; mentions?: readonly { id: string }[] },
  botUserId: string | undefined,
): boolean => guild_id === undefined || (Array.isArray(mentions) && mentions.some(({ id }) => id === botUserId));

/** The packet of a member's message, stripped of the fields that the bot does not use; undefined for any other packet. */
export function memberPacketIn(packet: unknown): MessagePacket | undefined {
  const { data } = messagePacket.safeParse(packet);
  if (!data || !ORDINARY_TYPES.has(data.d.type) || data.d.author.bot || data.d.author.system) return undefined;
  return data;
}

export function memberMessageIn(packet: unknown, botUserId: string | undefined) {
  const { d: message } = memberPacketIn(packet) ?? {};
  if (!message) return undefined;
  const { id, channel_id: channelId, guild_id: guildId, member, referenced_message: repliedTo } = message;
  const content = message.content.slice(0, MAX_CONTENT_LENGTH);
  const isFromBot = repliedTo?.author.id === botUserId;
  return {
    id,
    channelId,
    /** Undefined in direct messages. */
    guildId,
    memberId: message.author.id,
    roleIds: member?.roles ?? [],
    /** Without the mentions of the bot. */
    content: content.replaceAll(`<@${botUserId}>`, '').replaceAll(`<@!${botUserId}>`, ''),
    files: filesOf(message),
    isForBot: isMessageForBot(message, botUserId),
    /** The message that the member replied to. Discord leaves out the text and the files of what the bot may not read. */
    repliedTo: repliedTo
      ? {
          isFromBot,
          /** Whether it is a response to a command. Replies to such messages come without their text. */
          isResponse: repliedTo.interaction_metadata !== undefined,
          content: repliedTo.content.slice(0, MAX_CONTENT_LENGTH),
          files: filesOf(repliedTo),
          /** The ids of the tasks in the buttons of a message from the bot, which no one else can post. */
          taskIds: isFromBot ? taskIdsIn(repliedTo) : [],
        }
      : undefined,
  };
}

const filesOf = (message: Pick<MessagePacket['d'], 'attachments'>): readonly MessageFile[] =>
  message.attachments.slice(0, MAX_FILES).map(({ url, filename, content_type: mediaType }) => ({
    address: url,
    name: filename,
    mediaType: mediaType ?? undefined,
  }));

/** What happened to messages, by a packet from Discord or from the inbox; undefined for any other packet. */
export function messageEventIn({ t, d }: MessageDispatch, botUserId: string | undefined) {
  switch (t) {
    case Events.MessageCreate:
      return { event: 'written', isForBot: isMessageForBot(d, botUserId) } as const;
    case Events.MessageUpdate:
      return { event: 'edited', id: d.id, isForBot: isMessageForBot(d, botUserId) } as const;
    case Events.MessageDelete:
      return { event: 'deleted', ids: [d.id] } as const;
    case Events.MessageDeleteBulk:
      return { event: 'deleted', ids: d.ids } as const;
    default:
      return undefined;
  }
}
