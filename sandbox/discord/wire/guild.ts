import { botPermissions, isThread } from '../permissions.ts';
import type { Guild, World } from '../world.ts';
import { channelPayload, threadPayload } from './channel.ts';
import { memberPayload, userPayload } from './user.ts';

export const rolePayload = (role: Guild['roles'][number], position: number) => ({
  id: role.id,
  name: role.name,
  description: null,
  permissions: String(role.permissions),
  position,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  managed: false,
  mentionable: false,
  icon: null,
  unicode_emoji: null,
  flags: 0,
});

export function guildPayload(guild: Guild): Record<string, unknown> {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    preferred_locale: guild.locale,
    roles: guild.roles.map(rolePayload),
    features: [],
    emojis: [],
    stickers: [],
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    vanity_url_code: null,
    region: 'deprecated',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    nsfw: false,
    premium_tier: 0,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    max_members: 500_000,
    max_presences: null,
    max_video_channel_users: 25,
    application_id: null,
  };
}

/** GUILD_CREATE (documentation, events/gateway-events, "Guild Create"). Without the members intent, it contains only the bot as a member. */
export function guildCreatePayload(guild: Guild, world: World, now: number, includesAllMembers: boolean) {
  const members = [...guild.members.values()].filter(({ userId }) => includesAllMembers || userId === world.bot.id);
  return {
    ...guildPayload(guild),
    joined_at: new Date(guild.members.get(world.bot.id)?.joinedAt ?? now).toISOString(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    channels: guild.channels.filter((one) => !isThread(one)).map((one) => channelPayload(one, world)),
    threads: guild.channels
      .filter(isThread)
      .filter((one) => !one.thread.archived && botPermissions(one, { world }) !== 0n)
      .map((one) => threadPayload(one, world)),
    members: members.map((member) => ({ ...memberPayload(member), user: userPayload(world.user(member.userId)) })),
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
