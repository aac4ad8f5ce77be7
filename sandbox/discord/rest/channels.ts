import { ChannelType, PermissionFlagsBits as May } from 'discord-api-types/v10';
import { directWith } from '../direct.ts';
import type { Parts, Routes } from '../parts.ts';
import { missingAccess, noMutualGuilds, refusesMessages, unknownMember, unknownUser } from '../refusal.ts';
import { channelWire } from '../wire/channel.ts';
import { guildWire, roleWire } from '../wire/guild.ts';
import { memberWire, userWire } from '../wire/user.ts';
import type { Channel, Guild } from '../world.ts';
import { channelFor, messageIn, toSend } from './access.ts';

interface InChannel {
  Params: { channel: string };
  Body: { name: string; type?: number };
}
interface OfMessage {
  Params: { channel: string; message: string };
  Body: { name: string };
}
interface InGuild {
  Params: { guild: string };
}

/** Channels, direct messages, threads, and what of a guild the bot may read. */
export const channelRoutes: Routes = (server, parts) => {
  const { judge, world, clock } = parts;
  const shown = (channel: Channel) => judge.answer('channel', channelWire(channel, world, clock.now()));

  server.get<InChannel>('/channels/:channel', (request) => shown(channelFor(request.params.channel, 0n, parts)));
  server.post<InChannel>('/channels/:channel/typing', (request, reply) => {
    const { channel } = request.params;
    channelFor(channel, toSend(channel, parts), parts);
    parts.stream.tell({ kind: 'typing', what: { channel } });
    return reply.code(204).send();
  });
  server.post('/users/@me/channels', (request) => shown(openDirect(request.sent.body, parts)));
  server.post<InChannel>('/channels/:channel/threads', (request, reply) => {
    const parent = channelFor(request.params.channel, May.CreatePublicThreads, parts);
    reply.code(201);
    return shown(startThread(parent, parts.id(), request.sent.body, parts));
  });
  server.post<OfMessage>('/channels/:channel/messages/:message/threads', (request, reply) => {
    const parent = channelFor(request.params.channel, May.CreatePublicThreads, parts);
    const post = messageIn(parent, request.params.message, parts);
    reply.code(201);
    // A thread on a message has the message's id.
    return shown(startThread(parent, post.id, request.sent.body, parts));
  });
  server.get<InGuild>('/guilds/:guild', (request) => guildWire(guildFor(request.params.guild, parts)));
  server.get<InGuild>('/guilds/:guild/channels', (request) =>
    guildFor(request.params.guild, parts).channels.map((channel) => channelWire(channel, world, clock.now())),
  );
  server.get<InGuild>('/guilds/:guild/roles', (request) => guildFor(request.params.guild, parts).roles.map(roleWire));
  server.get<{ Params: { guild: string; user: string } }>('/guilds/:guild/members/:user', (request) => {
    const member = guildFor(request.params.guild, parts).members.get(request.params.user);
    if (!member) throw unknownMember();
    return { ...memberWire(member), user: userWire(world.user(member.userId)) };
  });
};

function guildFor(id: string, { world }: Parts): Guild {
  const guild = world.guilds.get(id);
  if (!guild?.installed) throw missingAccess();
  return guild;
}

function openDirect(body: unknown, parts: Parts): Channel {
  const user = parts.world.users.get(String((body as { recipient_id?: unknown } | undefined)?.recipient_id));
  if (!user || user.bot) throw unknownUser();
  return directWith(user, parts);
}

function startThread(parent: Channel, id: string, body: unknown, { world, hub, clock, stream }: Parts): Channel {
  const { name = 'thread', type } = (body ?? {}) as { name?: string; type?: number };
  const thread: Channel = {
    id,
    name,
    type: type === ChannelType.PrivateThread ? type : ChannelType.PublicThread,
    ...(parent.guildId !== undefined && { guildId: parent.guildId }),
    parentId: parent.id,
    ownerId: world.bot.id,
    ageRestricted: false,
    overwrites: [],
  };
  world.addChannel(thread);
  stream.tell({ kind: 'world', what: { channel: thread.id } });
  hub.dispatch('THREAD_CREATE', () => ({ ...channelWire(thread, world, clock.now()), newly_created: true }), {
    intent: 1,
    guildId: parent.guildId,
  });
  return thread;
}

/** Throws where a direct message to this person does not arrive. */
export function checkDirect(channel: Channel, { world }: Parts): void {
  const userId = channel.type === ChannelType.DM ? channel.people?.[0] : undefined;
  if (userId === undefined) return;
  const user = world.user(userId);
  if (user.directMessages === 'refused') throw refusesMessages();
  const meets = [...world.guilds.values()].some(({ installed, members }) => installed && members.has(userId));
  if (!meets && !user.hasInstalled) throw noMutualGuilds();
}
