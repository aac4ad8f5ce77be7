import { ChannelType, OverwriteType } from 'discord-api-types/v10';
import { isThread } from '../permissions.ts';
import type { Channel, ThreadChannel, World } from '../world.ts';
import { userPayload } from './user.ts';

/** Discord stops counting members at this number (documentation, topics/threads, "Thread Fields"). */
const MAX_MEMBER_COUNT = 50;

/** The channel object of REST and the gateway. */
export function channelPayload(channel: Channel, world: World): Record<string, unknown> {
  if (channel.recipientIds) {
    return {
      id: channel.id,
      type: channel.type,
      flags: 0,
      last_message_id: null,
      recipients: channel.recipientIds.map((id) => userPayload(world.user(id))),
      ...(channel.type === ChannelType.GroupDM && {
        name: channel.name,
        owner_id: channel.recipientIds[0],
        icon: null,
      }),
    };
  }
  const commonFields = { id: channel.id, type: channel.type, guild_id: channel.guildId, name: channel.name, flags: 0 };
  if (isThread(channel)) {
    return {
      ...commonFields,
      parent_id: channel.parentId,
      owner_id: channel.ownerId,
      last_message_id: null,
      rate_limit_per_user: 0,
      message_count: channel.thread.messageCount,
      member_count: Math.min(MAX_MEMBER_COUNT, channel.thread.members.size),
      total_message_sent: channel.thread.totalSent,
      thread_metadata: metadataOf(channel),
    };
  }
  return {
    ...commonFields,
    parent_id: null,
    position: world.guildOf(channel)?.channels.indexOf(channel) ?? 0,
    topic: null,
    nsfw: channel.ageRestricted,
    last_message_id: null,
    rate_limit_per_user: 0,
    ...(channel.type === ChannelType.GuildVoice && { bitrate: 64_000, user_limit: 0, rtc_region: null }),
    permission_overwrites: channel.overwrites.map((one) => ({
      id: one.id,
      type: one.kind === 'role' ? OverwriteType.Role : OverwriteType.Member,
      allow: String(one.allow),
      deny: String(one.deny),
    })),
  };
}

function metadataOf({ type, thread }: ThreadChannel) {
  return {
    archived: thread.archived,
    auto_archive_duration: thread.archiveMinutes,
    archive_timestamp: new Date(thread.archivedAt).toISOString(),
    locked: thread.locked,
    create_timestamp: new Date(thread.createdAt).toISOString(),
    ...(type === ChannelType.PrivateThread && { invitable: thread.invitable }),
  };
}

/** Documentation, resources/channel, "Thread Member Object". */
export const threadMemberPayload = ({ id, thread }: ThreadChannel, userId: string) => ({
  id,
  user_id: userId,
  join_timestamp: new Date(thread.members.get(userId) ?? thread.createdAt).toISOString(),
  flags: 0,
});

/** The thread object, with the application's own membership if it has one. */
export const threadPayload = (channel: ThreadChannel, world: World): Record<string, unknown> => ({
  ...channelPayload(channel, world),
  ...(channel.thread.members.has(world.bot.id) && { member: threadMemberPayload(channel, world.bot.id) }),
});

/** The partial channel object in interactions. */
export function partialChannelPayload(channel: Channel, world: World): Record<string, unknown> {
  const { permission_overwrites: _, ...rest } = channelPayload(channel, world);
  return rest;
}
