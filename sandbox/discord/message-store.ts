import { MessageFlags, MessageType } from 'discord-api-types/v10';
import type { UploadedFile } from './body.ts';
import { mentionsIn, storedComponents, updatedUploads } from './message-content.ts';
import type { MessageBody, Post } from './post.ts';
import type { MakeId } from './snowflake.ts';
import type { Uploads } from './uploads.ts';
import type { Channel, User } from './world.ts';

export interface NewMessage {
  readonly channel: Channel;
  readonly author: User;
  readonly body: MessageBody;
  readonly files?: readonly UploadedFile[];
  readonly type?: MessageType;
  readonly flags?: number;
  readonly viewer?: string | undefined;
  readonly interaction?: Readonly<Record<string, unknown>> | undefined;
}

/** A sandbox may run for weeks, so older messages beyond this number are dropped. */
const MAX_MESSAGES = 20_000;

/** `age` means that a message became older, for which there is no gateway event. */
export type MessageChangeKind = 'create' | 'update' | 'delete' | 'age';

interface Dependencies {
  readonly id: MakeId;
  readonly now: () => number;
  readonly uploads: Uploads;
  readonly onChange: (post: Post, change: MessageChangeKind) => void;
}

/** All messages by id. */
export class MessageStore {
  readonly #posts = new Map<string, Post>();
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  get(id: string): Post | undefined {
    return this.#posts.get(id);
  }

  listInChannel(channelId: string): Post[] {
    return [...this.#posts.values()].filter(({ channel }) => channel.id === channelId);
  }

  create(message: NewMessage): Post {
    const { channel, author, body, files = [], viewer } = message;
    const { id, now, uploads } = this.#dependencies;
    const content = body.content ?? '';
    const post: Post = {
      id: id(),
      channel,
      author,
      at: now(),
      type: message.type ?? (body.message_reference ? MessageType.Reply : MessageType.Default),
      viewer,
      reference: referenceOf(body, channel),
      replyPing: this.#replyPingOf(message),
      interaction: message.interaction,
      nonce: body.nonce ?? undefined,
      tts: body.tts ?? false,
      flags: ((body.flags ?? 0) & ~MessageFlags.Ephemeral) | (message.flags ?? 0),
      revision: 0,
      content,
      embeds: body.embeds ?? [],
      components: storedComponents(body.components ?? []),
      uploads: updatedUploads([], body, files, uploads, { folder: channel.id, ephemeral: viewer !== undefined }),
      ...mentionsIn(content, body.allowed_mentions),
    };
    this.#posts.set(post.id, post);
    const [oldest] = this.#posts.keys();
    if (this.#posts.size > MAX_MESSAGES && oldest !== undefined) this.#posts.delete(oldest);
    this.#dependencies.onChange(post, 'create');
    return post;
  }

  /** A reply notifies unless `allowed_mentions` prevents it; a response to an interaction never does. */
  #replyPingOf({ body, type, interaction }: NewMessage): Post['replyPing'] {
    const { message_reference: reference, allowed_mentions: allowed } = body;
    const repliedTo = this.#posts.get(reference?.message_id ?? '');
    const isReply = repliedTo !== undefined && type === undefined && interaction === undefined;
    if (!isReply || (allowed && allowed.replied_user !== true)) return undefined;
    return { userId: repliedTo.author.id, isResponse: repliedTo.interaction !== undefined };
  }

  /** Adds a message from an earlier run, without an event. */
  restore(post: Post): void {
    for (const upload of post.uploads) this.#dependencies.uploads.put(upload);
    this.#posts.set(post.id, post);
  }

  /** Absent keys keep their values; the first edit of a deferred response clears its loading state. */
  edit(post: Post, body: MessageBody, files: readonly UploadedFile[] = []): void {
    const { now, uploads } = this.#dependencies;
    const wasLoading = (post.flags & MessageFlags.Loading) !== 0;
    const uploadLocation = { folder: post.channel.id, ephemeral: post.viewer !== undefined };
    post.uploads = updatedUploads(post.uploads, body, files, uploads, uploadLocation);
    if (body.content !== undefined) {
      post.content = body.content ?? '';
      Object.assign(post, mentionsIn(post.content, body.allowed_mentions));
    }
    if (body.embeds !== undefined) post.embeds = body.embeds ?? [];
    if (body.components !== undefined) post.components = storedComponents(body.components ?? []);
    // A follow-up that completes a deferred response may make it a voice message.
    const editableFlags =
      MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2 | (wasLoading ? MessageFlags.IsVoiceMessage : 0);
    // The Components V2 flag cannot be removed once sent (documentation, components/reference).
    const keptFlag = post.flags & MessageFlags.IsComponentsV2;
    if (typeof body.flags === 'number')
      post.flags = (post.flags & ~editableFlags) | (body.flags & editableFlags) | keptFlag;
    post.flags &= ~MessageFlags.Loading;
    post.revision += 1;
    if (!wasLoading) post.editedAt = now();
    this.#dependencies.onChange(post, 'update');
  }

  /** Sets a flag without an edit, for example when a thread is started on the message. */
  addFlag(post: Post, flag: MessageFlags): void {
    post.flags |= flag;
    this.#dependencies.onChange(post, 'update');
  }

  /** Deletes the messages of a deleted channel, without an event for each, as in Discord. */
  removeAll(channelId: string): void {
    for (const { id } of this.listInChannel(channelId)) this.#posts.delete(id);
  }

  /** Makes every message older by the given time. */
  age(ms: number): void {
    for (const post of this.#posts.values()) {
      post.at -= ms;
      this.#dependencies.onChange(post, 'age');
    }
  }

  remove(post: Post): void {
    if (this.#posts.delete(post.id)) this.#dependencies.onChange(post, 'delete');
  }
}

function referenceOf({ message_reference: reference }: MessageBody, channel: Channel): Post['reference'] {
  if (!reference) return undefined;
  const { fail_if_not_exists: _, ...forwardedFields } = reference;
  return {
    type: 0,
    ...(channel.guildId !== undefined && { guild_id: channel.guildId }),
    ...forwardedFields,
    channel_id: forwardedFields.channel_id ?? channel.id,
  };
}
