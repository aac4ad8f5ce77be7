import { ChannelType, OverwriteType } from 'discord-api-types/v10';
import { isThread } from '../permissions.ts';
import type { Channel, World } from '../world.ts';
import { userWire } from './user.ts';

/** A channel as REST and the gateway show it. */
export function channelWire(channel: Channel, world: World, now: number): Record<string, unknown> {
  if (channel.people) {
    return {
      id: channel.id,
      type: channel.type,
      flags: 0,
      last_message_id: null,
      recipients: channel.people.map((id) => userWire(world.user(id))),
      ...(channel.type === ChannelType.GroupDM && { name: channel.name, owner_id: channel.people[0], icon: null }),
    };
  }
  const shared = { id: channel.id, type: channel.type, guild_id: channel.guildId, name: channel.name, flags: 0 };
  if (isThread(channel)) {
    return {
      ...shared,
      parent_id: channel.parentId,
      owner_id: channel.ownerId,
      last_message_id: null,
      rate_limit_per_user: 0,
      message_count: 0,
      member_count: 1,
      total_message_sent: 0,
      thread_metadata: {
        archived: false,
        auto_archive_duration: 1440,
        archive_timestamp: new Date(now).toISOString(),
        locked: false,
        create_timestamp: new Date(now).toISOString(),
      },
    };
  }
  return {
    ...shared,
    parent_id: null,
    position: world.guildOf(channel)?.channels.indexOf(channel) ?? 0,
    topic: null,
    nsfw: channel.ageRestricted,
    last_message_id: null,
    rate_limit_per_user: 0,
    permission_overwrites: channel.overwrites.map((one) => ({
      id: one.id,
      type: one.kind === 'role' ? OverwriteType.Role : OverwriteType.Member,
      allow: String(one.allow),
      deny: String(one.deny),
    })),
  };
}

/** The shorter form inside interactions. */
export function partialChannelWire(channel: Channel, world: World, now: number): Record<string, unknown> {
  const { permission_overwrites: _, ...rest } = channelWire(channel, world, now);
  return rest;
}
