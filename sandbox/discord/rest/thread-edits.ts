import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { Parts, Routes } from '../parts.ts';
import { botPermissions, hasPermissions, isThread } from '../permissions.ts';
import {
  missingPermissions,
  rateLimitRefusal,
  threadIsArchived,
  threadIsLocked,
  wrongChannelType,
} from '../refusal.ts';
import type { ThreadChange } from '../threads.ts';
import { threadPayload } from '../wire/channel.ts';
import type { Channel, ThreadChannel } from '../world.ts';
import { channelFor } from './access.ts';
import { canManage, isOwn } from './threads.ts';

interface ChannelRequest {
  Params: { channel: string };
}
interface EditBody {
  readonly name?: string | null;
  readonly archived?: boolean | null;
  readonly locked?: boolean | null;
  readonly invitable?: boolean | null;
  readonly auto_archive_duration?: number | null;
  readonly rate_limit_per_user?: number | null;
}

const route = '/channels/:channel';

/** Routes that edit and delete threads (documentation, topics/threads, "Editing & Deleting Threads"). */
export const threadEditRoutes: Routes = (server, parts) => {
  const { validator, world, threads, messages } = parts;
  server.patch<ChannelRequest>(route, (request) => {
    const thread = editableThread(channelFor(request.params.channel, 0n, parts), parts);
    const body = (request.payload.body ?? {}) as EditBody;
    validator.checkBody(route, 'thread-edit', body);
    checkEdit(thread, body, parts);
    if (body.name) countRename(thread, parts);
    threads.change(thread, changeIn(body));
    return validator.checkResponse('thread', threadPayload(thread, world));
  });
  server.delete<ChannelRequest>(route, (request) => {
    const thread = editableThread(channelFor(request.params.channel, 0n, parts), parts);
    if (!canManage(thread, parts)) throw missingPermissions();
    const lastState = threadPayload(thread, world);
    threads.remove(thread);
    messages.removeAll(thread.id);
    return validator.checkResponse('thread', lastState);
  });
};

/** The embedded Discord lets bots edit only threads. */
function editableThread(channel: Channel, parts: Parts): ThreadChannel {
  if (isThread(channel)) return channel;
  if (!hasPermissions(botPermissions(channel, parts), Permission.ManageChannels)) throw missingPermissions();
  throw wrongChannelType();
}

function checkEdit(thread: ThreadChannel, body: EditBody, parts: Parts): void {
  checkArchived(thread, body);
  if (canManage(thread, parts)) return;
  const { archived, locked, rate_limit_per_user: slowMode, ...otherFields } = body;
  const isPresent = (value: unknown) => value !== undefined && value !== null;
  if (isPresent(locked) || isPresent(slowMode)) throw missingPermissions();
  // Any member of an unlocked thread may unarchive it.
  const onlyUnarchives = archived === false && !Object.values(otherFields).some(isPresent);
  const mayUnarchive = thread.thread.members.has(parts.world.bot.id) && !thread.thread.locked;
  if (!isOwn(thread, parts) && !(onlyUnarchives && mayUnarchive)) throw missingPermissions();
  if (thread.thread.locked) throw threadIsLocked();
}

/** An archived thread can be edited only if the edit unarchives it. */
function checkArchived({ thread }: ThreadChannel, { archived }: EditBody): void {
  if (thread.archived && archived !== false) throw threadIsArchived();
}

function countRename({ id }: ThreadChannel, { buckets }: Parts): void {
  const retryAfter = buckets.consumeRename(id);
  if (retryAfter === undefined) return;
  buckets.recordHit(route, 'user');
  throw rateLimitRefusal('user', retryAfter);
}

function changeIn({ name, archived, locked, invitable, auto_archive_duration: minutes }: EditBody): ThreadChange {
  return {
    ...(name && { name }),
    ...(typeof archived === 'boolean' && { archived }),
    ...(typeof locked === 'boolean' && { locked }),
    ...(typeof invitable === 'boolean' && { invitable }),
    ...(typeof minutes === 'number' && { archiveMinutes: minutes }),
  };
}
