import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { fileFactsOf, type UploadedFile } from '../body.ts';
import { editFacts } from '../interactions/respond.ts';
import type { Parts, Routes } from '../parts.ts';
import { botPermissions, hasPermissions } from '../permissions.ts';
import type { MessageBody, Post } from '../post.ts';
import { cannotReply, missingPermissions, notTheAuthor, Refusal } from '../refusal.ts';
import { isVoice } from '../validation/voice.ts';
import type { Channel } from '../world.ts';
import { channelFor, checkThreadState, messageIn, sendPermission } from './access.ts';
import { checkRecipient } from './channels.ts';
import { checkFileSizes } from './file-sizes.ts';
import { checkVoice } from './voice.ts';

interface ChannelRequest {
  Params: { channel: string };
  Querystring: { limit?: string; before?: string; after?: string };
}
interface MessageRequest {
  Params: { channel: string; message: string };
}

/** Message routes for the bot token (documentation, resources/message). */
export const messageRoutes: Routes = (server, parts) => {
  const { validator, messages, world, applicationMessage } = parts;
  const messagesRoute = '/channels/:channel/messages';
  const messageRoute = '/channels/:channel/messages/:message';

  server.get<ChannelRequest>(messagesRoute, (request) => {
    const channel = channelFor(request.params.channel, Permission.ReadMessageHistory, parts);
    const { limit = '50', before, after } = request.query;
    const pageSize = Math.min(100, Number(limit) || 50);
    const candidates = messages
      .listInChannel(channel.id)
      .filter(({ id, viewer }) => viewer === undefined && isBetween(BigInt(id), after, before));
    // `after` selects the messages directly after it, but the page is still sorted newest first.
    const page = after === undefined ? candidates.slice(-pageSize) : candidates.slice(0, pageSize);
    return page.reverse().map((post) => validator.checkResponse('message', applicationMessage(post)));
  });
  server.get<MessageRequest>(messageRoute, (request) => {
    const channel = channelFor(request.params.channel, Permission.ReadMessageHistory, parts);
    return validator.checkResponse('message', applicationMessage(messageIn(channel, request.params.message, parts)));
  });
  server.post<ChannelRequest>(messagesRoute, (request) => {
    const { channel: id } = request.params;
    const channel = channelFor(id, sendPermission(id, parts), parts);
    checkRecipient(channel, parts);
    checkThreadState(channel, 'send', parts);
    const { files } = request.payload;
    const body = request.payload.body as MessageBody;
    // Voice messages have their own permission and do not require Attach Files.
    if (isVoice(body?.flags)) checkVoice(channel, parts);
    else checkFiles(channel, files, parts);
    checkFileSizes(files, parts);
    validator.checkBody(messagesRoute, 'channel-message', body, { files: fileFactsOf(files) });
    checkReference(channel, body, parts);
    const post = findByNonce(channel, body, parts) ?? messages.create({ channel, author: world.bot, body, files });
    return validator.checkResponse('message', applicationMessage(post));
  });
  server.patch<MessageRequest>(messageRoute, (request, reply) => {
    const channel = channelFor(request.params.channel, 0n, parts);
    const post = messageIn(channel, request.params.message, parts);
    if (post.author !== world.bot) throw notTheAuthor();
    checkThreadState(channel, 'edit', parts);
    const { body, files } = request.payload;
    checkFiles(channel, files, parts);
    checkFileSizes(files, parts);
    validator.checkBody(messageRoute, 'channel-edit', body, editFacts(post, fileFactsOf(files)));
    const retryAfter = isOld(post, parts) ? parts.buckets.consumeOldEdit(channel.id) : undefined;
    if (retryAfter !== undefined) {
      parts.buckets.recordHit(messageRoute, 'shared');
      throw tooManyOldEdits(retryAfter);
    }
    messages.edit(post, body as MessageBody, files);
    parts.watch.notify();
    return reply.send(validator.checkResponse('message', applicationMessage(post)));
  });
  server.delete<MessageRequest>(messageRoute, (request, reply) => {
    const channel = channelFor(request.params.channel, 0n, parts);
    const post = messageIn(channel, request.params.message, parts);
    if (post.author !== world.bot && (botPermissions(channel, parts) & Permission.ManageMessages) === 0n)
      throw missingPermissions();
    messages.remove(post);
    return reply.code(204).send();
  });
};

const isBetween = (id: bigint, after: string | undefined, before: string | undefined) =>
  (after === undefined || id > BigInt(after)) && (before === undefined || id < BigInt(before));

function checkFiles(channel: Channel, files: readonly UploadedFile[], parts: Parts): void {
  if (files.length > 0 && (botPermissions(channel, parts) & Permission.AttachFiles) === 0n) throw missingPermissions();
}

function checkReference(channel: Channel, { message_reference: reference }: MessageBody, parts: Parts): void {
  if (!reference?.message_id) return;
  if (!hasPermissions(botPermissions(channel, parts), Permission.ReadMessageHistory)) throw cannotReply();
  if (reference.fail_if_not_exists === false) return;
  if (parts.messages.get(reference.message_id)?.channel === channel) return;
  parts.validator.reject('/channels/:channel/messages', [
    { path: 'message_reference', code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' },
  ]);
}

/** With `enforce_nonce`, a repeated request returns the existing message (documentation, "Create Message"). */
function findByNonce(
  channel: Channel,
  { nonce, enforce_nonce: isEnforced }: MessageBody,
  parts: Parts,
): Post | undefined {
  if (!isEnforced || nonce === undefined || nonce === null) return undefined;
  const earliest = parts.clock.now() - parts.limits.nonceMs;
  return parts.messages
    .listInChannel(channel.id)
    .find((post) => post.author === parts.world.bot && post.at > earliest && String(post.nonce) === String(nonce));
}

const isOld = (post: Post, { clock, limits }: Parts) => clock.now() - post.at > limits.oldAfterMs;

function tooManyOldEdits(retryAfter: number): Refusal {
  return new Refusal('Maximum number of edits to messages older than 1 hour reached. Try again later.', {
    status: 429,
    code: 30046,
    headers: { 'retry-after': String(Math.ceil(retryAfter)), 'x-ratelimit-scope': 'shared' },
    extraFields: { retry_after: retryAfter, global: false },
  });
}
