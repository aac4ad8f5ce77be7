import { AllowedMentionsTypes, MessageFlags, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { canSend } from './client-view.ts';
import { type Message, messageOf } from './exchange.ts';
import { permissionsOf } from './interactions/context.ts';
import { ImpossibleActionError } from './interactions/impossible-action.ts';
import { checkUploadSizes } from './interactions/resolved-data.ts';
import type { ActorContext } from './interactions/send.ts';
import type { Parts } from './parts.ts';
import { hasPermissions } from './permissions.ts';
import type { MessageBody, Post } from './post.ts';
import type { FileInput, VoiceMetadata } from './uploads.ts';

export interface VoiceInput extends Partial<VoiceMetadata> {
  /** Ogg Opus if the message is to be played; any other bytes are accepted too. */
  readonly bytes: Buffer;
  readonly seconds: number;
}

export interface ReplyOptions {
  /** Whether the reply notifies the author of the other message; true by default, as in Discord's own client. */
  readonly ping?: boolean;
  readonly files?: readonly FileInput[];
}

/** The limit for users without Nitro (documentation, resources/message). */
const MAX_CONTENT_LENGTH = 2_000;
const MAX_FILES = 10;

/** A rising and falling placeholder for recordings without a waveform. */
const PLACEHOLDER_WAVEFORM = Buffer.from(
  Array.from({ length: 64 }, (_, index) => 8 * Math.min(index, 63 - index)),
).toString('base64');

/** Posts as a user. */
export function say(
  { user, channel }: ActorContext,
  body: MessageBody & { readonly content: string },
  files: readonly FileInput[],
  parts: Parts,
): Message {
  if (!canSend(user, channel, parts))
    throw new ImpossibleActionError(`${user.name} cannot send messages in ${channel.name}.`);
  checkContent(body.content, files.length);
  if (files.length > MAX_FILES) throw new ImpossibleActionError(`A message can have at most ${MAX_FILES} files.`);
  checkUploadSizes(files, parts);
  const uploadedFiles = files.map((file, id) => ({ ...file, id: String(id) }));
  return messageOf(parts.messages.create({ channel, author: user, body, files: uploadedFiles }), parts, user.id);
}

export function reply(
  context: ActorContext,
  { id, viewer }: Post,
  content: string,
  { ping = true, files = [] }: ReplyOptions,
  parts: Parts,
): Message {
  if (viewer !== undefined) throw new ImpossibleActionError('An ephemeral message cannot be replied to.');
  const allowed_mentions = { parse: Object.values(AllowedMentionsTypes), replied_user: ping };
  return say(context, { content, message_reference: { message_id: id }, allowed_mentions }, files, parts);
}

export function speak({ user, channel, guild }: ActorContext, voice: VoiceInput, parts: Parts): Message {
  const { bytes, seconds, waveform = PLACEHOLDER_WAVEFORM } = voice;
  if (
    !canSend(user, channel, parts) ||
    !hasPermissions(permissionsOf(user, channel, guild), Permission.SendVoiceMessages)
  )
    throw new ImpossibleActionError(`${user.name} cannot send voice messages in ${channel.name}.`);
  const file = { id: '0', name: 'voice-message.ogg', bytes, contentType: 'audio/ogg' };
  checkUploadSizes([file], parts);
  const body = { flags: MessageFlags.IsVoiceMessage, attachments: [{ id: '0', duration_secs: seconds, waveform }] };
  return messageOf(parts.messages.create({ channel, author: user, body, files: [file] }), parts, user.id);
}

/** Changes the text of the user's own message; its files stay. */
export function edit({ user }: ActorContext, post: Post, content: string, parts: Parts): Message {
  if (post.author.id !== user.id) throw new ImpossibleActionError(`${user.name} did not write that message.`);
  checkContent(content, post.uploads.length);
  parts.messages.edit(post, { content });
  return messageOf(post, parts, user.id);
}

export function remove({ user, channel, guild }: ActorContext, post: Post, parts: Parts): void {
  if (post.author.id !== user.id && !hasPermissions(permissionsOf(user, channel, guild), Permission.ManageMessages))
    throw new ImpossibleActionError(`${user.name} cannot delete that message.`);
  parts.messages.remove(post);
}

function checkContent(content: string, fileCount: number): void {
  if (content.trim() === '' && fileCount === 0) throw new ImpossibleActionError('The message is empty.');
  if (content.length > MAX_CONTENT_LENGTH)
    throw new ImpossibleActionError(
      `A message can have at most ${MAX_CONTENT_LENGTH} characters (this one has ${content.length}).`,
    );
}
