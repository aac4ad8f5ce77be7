import { ChannelType } from 'discord-api-types/v10';
import { directMessageChannel } from '../direct-message-channel.ts';
import type { Parts, Routes } from '../parts.ts';
import { isThread } from '../permissions.ts';
import { cannotMessageUser, missingAccess, noMutualGuilds, unknownMember, unknownUser } from '../refusal.ts';
import { channelPayload, threadPayload } from '../wire/channel.ts';
import { guildPayload, rolePayload } from '../wire/guild.ts';
import { memberPayload, userPayload } from '../wire/user.ts';
import type { Channel, Guild } from '../world.ts';
import { channelFor, sendPermission } from './access.ts';

interface ChannelRequest {
  Params: { channel: string };
}
interface GuildRequest {
  Params: { guild: string };
}

/** Routes for channels, direct messages and guild data. */
export const channelRoutes: Routes = (server, parts) => {
  const { validator, world } = parts;
  const channelResponse = (channel: Channel) =>
    validator.checkResponse(
      'channel',
      isThread(channel) ? threadPayload(channel, world) : channelPayload(channel, world),
    );

  server.get<ChannelRequest>('/channels/:channel', (request) =>
    channelResponse(channelFor(request.params.channel, 0n, parts)),
  );
  server.post<ChannelRequest>('/channels/:channel/typing', (request, reply) => {
    const { channel } = request.params;
    channelFor(channel, sendPermission(channel, parts), parts);
    parts.stream.publish({ kind: 'typing', what: { channel } });
    return reply.code(204).send();
  });
  server.post('/users/@me/channels', (request) => channelResponse(openDirectMessage(request.payload.body, parts)));
  server.get<GuildRequest>('/guilds/:guild', (request) => guildPayload(guildFor(request.params.guild, parts)));
  server.get<GuildRequest>('/guilds/:guild/channels', (request) =>
    guildFor(request.params.guild, parts)
      .channels.filter((channel) => !isThread(channel))
      .map((channel) => channelPayload(channel, world)),
  );
  server.get<GuildRequest>('/guilds/:guild/roles', (request) =>
    guildFor(request.params.guild, parts).roles.map(rolePayload),
  );
  server.get<{ Params: { guild: string; user: string } }>('/guilds/:guild/members/:user', (request) => {
    const member = guildFor(request.params.guild, parts).members.get(request.params.user);
    if (!member) throw unknownMember();
    return { ...memberPayload(member), user: userPayload(world.user(member.userId)) };
  });
};

function guildFor(id: string, { world }: Parts): Guild {
  const guild = world.guilds.get(id);
  if (!guild?.installed) throw missingAccess();
  return guild;
}

function openDirectMessage(body: unknown, parts: Parts): Channel {
  const user = parts.world.users.get(String((body as { recipient_id?: unknown } | undefined)?.recipient_id));
  if (!user || user.bot) throw unknownUser();
  return directMessageChannel(user, parts);
}

/** Throws if this is a direct-message channel whose user cannot receive messages from the bot. */
export function checkRecipient(channel: Channel, { world }: Parts): void {
  const userId = channel.type === ChannelType.DM ? channel.recipientIds?.[0] : undefined;
  if (userId === undefined) return;
  const user = world.user(userId);
  if (user.directMessages === 'refused') throw cannotMessageUser();
  const sharesGuild = [...world.guilds.values()].some(({ installed, members }) => installed && members.has(userId));
  if (!sharesGuild && !user.hasInstalled) throw noMutualGuilds();
}
