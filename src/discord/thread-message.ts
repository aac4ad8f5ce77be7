import { z } from 'zod';

/** A message that a member has written in a channel of a server. Only messages in threads are used. */
export interface ThreadMessage {
  id: string;
  channelId: string;
  guildId: string;
  memberId: string;
  roleIds: readonly string[];
  content: string;
  files: readonly { address: string; name: string; mediaType?: string | undefined }[];
}

/** Ordinary messages and replies; the other types are Discord's own notices. */
const ORDINARY_TYPES: ReadonlySet<number> = new Set([0, 19]);

const messageCreatePacket = z.object({
  t: z.literal('MESSAGE_CREATE'),
  d: z.object({
    id: z.string(),
    type: z.number(),
    channel_id: z.string(),
    guild_id: z.string(),
    webhook_id: z.undefined().optional(),
    author: z.object({ id: z.string(), bot: z.boolean().optional(), system: z.boolean().optional() }),
    member: z.object({ roles: z.array(z.string()) }).optional(),
    content: z.string(),
    attachments: z
      .array(z.object({ url: z.string(), filename: z.string(), content_type: z.string().nullish() }))
      .default([]),
  }),
});

/** The packet of a member's message in a server, stripped of the fields that the bot does not use; undefined for any other packet. */
export function threadPacketIn(packet: unknown): z.output<typeof messageCreatePacket> | undefined {
  const { data } = messageCreatePacket.safeParse(packet);
  if (!data || !ORDINARY_TYPES.has(data.d.type) || data.d.author.bot || data.d.author.system) return undefined;
  return data;
}

/** Undefined for a packet that is not a message from a member in a server. */
export function threadMessageIn(packet: unknown): ThreadMessage | undefined {
  const { d: message } = threadPacketIn(packet) ?? {};
  return (
    message && {
      id: message.id,
      channelId: message.channel_id,
      guildId: message.guild_id,
      memberId: message.author.id,
      roleIds: message.member?.roles ?? [],
      content: message.content,
      files: message.attachments.map(({ url, filename, content_type: mediaType }) => ({
        address: url,
        name: filename,
        mediaType: mediaType ?? undefined,
      })),
    }
  );
}
