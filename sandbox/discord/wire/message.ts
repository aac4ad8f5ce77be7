import { type APIMessage, MessageType } from 'discord-api-types/v10';
import type { AnyComponent } from '../message-content.ts';
import { eachComponent } from '../message-content.ts';
import { isThread } from '../permissions.ts';
import type { Post } from '../post.ts';
import type { Uploads } from '../uploads.ts';
import type { World } from '../world.ts';
import { threadPayload } from './channel.ts';
import { userPayload } from './user.ts';

/** Messages of these types include the message that they refer to. */
const TYPES_WITH_REFERENCE: ReadonlySet<MessageType> = new Set([MessageType.Reply, MessageType.ThreadStarterMessage]);

export interface MessageSources {
  readonly world: World;
  readonly uploads: Uploads;
  readonly find: (id: string) => Post | undefined;
}

/** What the recipient of a message may know of it, and of the message that it quotes. */
export interface Recipient {
  /** A message that is not readable is shown without its content. */
  readonly isReadable?: (post: Post) => boolean;
  /** The user who sees the message; undefined sees the ephemeral messages of everyone. */
  readonly viewer?: string | undefined;
}

/** The message object. Absent fields are omitted, because discord.js does not accept null for them. */
export function messagePayload(
  post: Post,
  sources: MessageSources,
  recipient: Recipient = {},
  isReferenced = false,
): APIMessage {
  const { world, uploads } = sources;
  const { isReadable = () => true, viewer } = recipient;
  const mentions = new Set([...post.mentions, ...(post.replyPing ? [post.replyPing.userId] : [])]);
  const payload = {
    id: post.id,
    type: post.type,
    channel_id: post.channel.id,
    author: userPayload(post.author),
    content: post.content,
    timestamp: new Date(post.at).toISOString(),
    edited_timestamp: post.editedAt === undefined ? null : new Date(post.editedAt).toISOString(),
    tts: post.tts,
    pinned: false,
    flags: post.flags,
    mention_everyone: post.mentionsEveryone,
    mentions: [...mentions].flatMap((id) => world.users.get(id) ?? []).map(userPayload),
    mention_roles: [],
    attachments: post.uploads.map((upload) => uploads.payloadOf(upload)),
    embeds: embedsOf(post, uploads),
    components: componentsOf(post, uploads),
    ...(post.nonce !== undefined && { nonce: post.nonce }),
    ...(post.reference && { message_reference: post.reference }),
    ...(post.interaction && {
      application_id: world.applicationId,
      webhook_id: world.applicationId,
      interaction_metadata: post.interaction,
    }),
    ...(post.author.id === world.bot.id && !post.interaction && { application_id: world.applicationId }),
    ...(!isReadable(post) && { content: '', embeds: [], attachments: [], components: [] }),
  };
  const thread = world.channels.get(post.id);
  if (thread && isThread(thread)) Object.assign(payload, { thread: threadPayload(thread, world) });
  if (post.reference?.message_id && !isReferenced && TYPES_WITH_REFERENCE.has(post.type)) {
    const referenced = sources.find(post.reference.message_id);
    // Null means that the message was deleted. An absent field means that it was not loaded.
    const isHidden = viewer !== undefined && referenced?.viewer !== undefined && referenced.viewer !== viewer;
    const referencedPayload = referenced ? messagePayload(referenced, sources, recipient, true) : null;
    if (!isHidden) Object.assign(payload, { referenced_message: referencedPayload });
  }
  return payload as unknown as APIMessage;
}

/**
 * Whether the application receives a message's content without the message content intent (documentation, "You Might Not
 * Need a Privileged Intent").
 */
export const isReadableWithoutIntent = (post: Post, { bot }: World): boolean =>
  post.author.id === bot.id ||
  post.channel.includesApplication === true ||
  post.mentions.includes(bot.id) ||
  (post.replyPing?.userId === bot.id && !post.replyPing.isResponse);

function attachmentFinder(post: Post, uploads: Uploads) {
  return (url: unknown): Record<string, unknown> | undefined => {
    if (typeof url !== 'string' || !url.startsWith('attachment://')) return undefined;
    const upload = post.uploads.find(({ name }) => name === url.slice('attachment://'.length));
    if (!upload) return undefined;
    const { id, url: attachmentUrl, proxy_url, width, height, content_type } = uploads.payloadOf(upload);
    return {
      url: attachmentUrl,
      proxy_url,
      width: width ?? 0,
      height: height ?? 0,
      content_type,
      attachment_id: id,
    };
  };
}

function embedsOf(post: Post, uploads: Uploads) {
  const find = attachmentFinder(post, uploads);
  const media = (item: { url?: string } | null | undefined) => {
    const { url, proxy_url, width, height, content_type } = find(item?.url) ?? {};
    return url === undefined ? { ...item } : { url, proxy_url, width, height, content_type };
  };
  return post.embeds.map((embed) => ({
    type: 'rich',
    ...embed,
    ...(embed.image && { image: media(embed.image) }),
    ...(embed.thumbnail && { thumbnail: media(embed.thumbnail) }),
    ...(embed.timestamp && { timestamp: new Date(embed.timestamp).toISOString() }),
  }));
}

function componentsOf(post: Post, uploads: Uploads): unknown[] {
  const find = attachmentFinder(post, uploads);
  const media = (item: unknown) => {
    const { url } = item as { url?: string };
    return find(url) ?? { ...(item as object), proxy_url: url, width: 0, height: 0 };
  };
  const copy: AnyComponent[] = structuredClone(post.components) as unknown as AnyComponent[];
  eachComponent(copy, (component) => {
    if (component.media) component.media = media(component.media);
    if (component.file) component.file = { loading_state: 2, ...media(component.file) };
    if (Array.isArray(component.items))
      component.items = component.items.map((item: { media: unknown }) => ({ ...item, media: media(item.media) }));
  });
  return copy;
}
