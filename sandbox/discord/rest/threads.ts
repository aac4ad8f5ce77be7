import { ChannelType, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { canSeeChannel } from '../client-view.ts';
import type { Parts, Routes } from '../parts.ts';
import { botPermissions, hasPermissions, isThread } from '../permissions.ts';
import {
  missingAccess,
  missingPermissions,
  threadIsArchived,
  unknownMember,
  unknownUser,
  wrongChannelType,
} from '../refusal.ts';
import { checkThreadType, startThread, type ThreadType } from '../start-thread.ts';
import { threadMemberPayload, threadPayload } from '../wire/channel.ts';
import type { ThreadChannel } from '../world.ts';
import { channelFor, messageIn } from './access.ts';

interface ChannelRequest {
  Params: { channel: string };
}
interface MessageRequest {
  Params: { channel: string; message: string };
}
interface MemberRequest {
  Params: { channel: string; user: string };
}
interface StartThreadBody {
  readonly name: string;
  readonly type?: ThreadType | null;
  readonly auto_archive_duration?: number | null;
  readonly invitable?: boolean | null;
}

/** Routes that start threads and manage their members (documentation, resources/channel, "Start Thread …"). */
export const threadRoutes: Routes = (server, parts) => {
  const { validator, world, threads } = parts;
  const threadResponse = (thread: ThreadChannel) => validator.checkResponse('thread', threadPayload(thread, world));
  const threadsRoute = '/channels/:channel/threads';
  const messageThreadsRoute = '/channels/:channel/messages/:message/threads';
  const memberRoute = '/channels/:channel/thread-members/:user';

  server.post<ChannelRequest>(threadsRoute, (request, reply) => {
    const parent = channelFor(request.params.channel, 0n, parts);
    const body = request.payload.body as StartThreadBody;
    validator.checkBody(threadsRoute, 'thread', body);
    // The default is a private thread, for compatibility with the first version of threads.
    const type = body.type ?? ChannelType.PrivateThread;
    checkThreadType(parent, type);
    const requiredPermission =
      type === ChannelType.PrivateThread ? Permission.CreatePrivateThreads : Permission.CreatePublicThreads;
    if (!hasPermissions(botPermissions(parent, parts), requiredPermission)) throw missingPermissions();
    const { name, invitable, auto_archive_duration: archiveMinutes } = body;
    reply.code(201);
    return threadResponse(startThread({ parent, owner: world.bot, name, type, invitable, archiveMinutes }, parts));
  });
  server.post<MessageRequest>(messageThreadsRoute, (request, reply) => {
    const parent = channelFor(request.params.channel, 0n, parts);
    const type =
      parent.type === ChannelType.GuildAnnouncement ? ChannelType.AnnouncementThread : ChannelType.PublicThread;
    checkThreadType(parent, type);
    if (!hasPermissions(botPermissions(parent, parts), Permission.CreatePublicThreads)) throw missingPermissions();
    const starterMessage = messageIn(parent, request.params.message, parts);
    const body = request.payload.body as StartThreadBody;
    validator.checkBody(messageThreadsRoute, 'thread-on-message', body);
    const { name, auto_archive_duration: archiveMinutes } = body;
    reply.code(201);
    return threadResponse(startThread({ parent, owner: world.bot, name, type, archiveMinutes, starterMessage }, parts));
  });
  server.put<MemberRequest>(memberRoute, (request, reply) => {
    const thread = threadFor(request.params.channel, parts);
    const userId = userIdOf(request.params.user, parts);
    if (thread.thread.archived) throw threadIsArchived();
    if (userId !== world.bot.id) checkInvitation(thread, userId, parts);
    threads.join(thread, userId);
    return reply.code(204).send();
  });
  server.delete<MemberRequest>(memberRoute, (request, reply) => {
    const thread = threadFor(request.params.channel, parts);
    const userId = userIdOf(request.params.user, parts);
    if (thread.thread.archived) throw threadIsArchived();
    const mayRemove = canManage(thread, parts) || (thread.type === ChannelType.PrivateThread && isOwn(thread, parts));
    if (userId !== world.bot.id && !mayRemove) throw missingPermissions();
    threads.leave(thread, userId);
    return reply.code(204).send();
  });
  server.get<MemberRequest>(memberRoute, (request) => {
    const thread = threadFor(request.params.channel, parts);
    const userId = userIdOf(request.params.user, parts);
    if (!thread.thread.members.has(userId)) throw unknownMember();
    return validator.checkResponse('thread-member', threadMemberPayload(thread, userId));
  });
  server.get<ChannelRequest>('/channels/:channel/thread-members', (request) => {
    const thread = threadFor(request.params.channel, parts);
    // Listing members requires the members intent.
    if (!parts.privilegedIntents.includes('members')) throw missingAccess();
    return [...thread.thread.members.keys()].map((id) => threadMemberPayload(thread, id));
  });
  server.get<{ Params: { guild: string } }>('/guilds/:guild/threads/active', (request) => {
    const guild = world.guilds.get(request.params.guild);
    if (!guild?.installed) throw missingAccess();
    const activeThreads = guild.channels
      .filter(isThread)
      .filter((each) => !each.thread.archived && botPermissions(each, parts) !== 0n);
    const joinedThreads = activeThreads.filter(({ thread }) => thread.members.has(world.bot.id));
    return {
      threads: activeThreads.map((each) => threadPayload(each, world)),
      members: joinedThreads.map((each) => threadMemberPayload(each, world.bot.id)),
    };
  });
};

function threadFor(id: string, parts: Parts): ThreadChannel {
  const channel = channelFor(id, 0n, parts);
  if (!isThread(channel)) throw wrongChannelType();
  return channel;
}

const userIdOf = (user: string, { world }: Parts) => (user === '@me' ? world.bot.id : user);
export const canManage = (thread: ThreadChannel, parts: Parts) =>
  hasPermissions(botPermissions(thread, parts), Permission.ManageThreads);
export const isOwn = ({ ownerId }: ThreadChannel, { world }: Parts) => ownerId === world.bot.id;

/** Anyone who can send messages in a thread can add others, unless the thread is private and not invitable. */
function checkInvitation(thread: ThreadChannel, userId: string, parts: Parts): void {
  const { world } = parts;
  const user = world.users.get(userId);
  if (!user) throw unknownUser();
  if (!world.guildOf(thread)?.members.has(userId)) throw unknownMember();
  if (!hasPermissions(botPermissions(thread, parts), Permission.SendMessagesInThreads)) throw missingPermissions();
  const { type } = thread;
  const { invitable } = thread.thread;
  if (type === ChannelType.PrivateThread && !invitable && !isOwn(thread, parts) && !canManage(thread, parts))
    throw missingPermissions();
  const parent = world.channels.get(thread.parentId ?? '');
  if (parent && !canSeeChannel(user, parent, parts)) throw missingAccess();
}
