import type { APIGuildMember, APIUser, GuildMemberFlags, UserFlags } from 'discord-api-types/v10';
import type { Member, User, World } from '../world.ts';

const noFlags = 0 as UserFlags;

export const userPayload = (user: User): APIUser => ({
  id: user.id,
  username: user.name,
  discriminator: user.bot ? '0001' : '0',
  global_name: user.bot ? null : user.name,
  avatar: null,
  banner: null,
  accent_color: null,
  public_flags: noFlags,
  flags: noFlags,
  primary_guild: null,
  ...(user.bot && { bot: true }),
});

/** The bot's own user object, with the fields that only the account itself sees. */
export const ownUserPayload = (world: World) => ({
  ...userPayload(world.bot),
  bot: true,
  mfa_enabled: true,
  verified: true,
  email: null,
  locale: 'en-US',
  premium_type: 0,
});

export const memberPayload = (member: Member): Omit<APIGuildMember, 'user'> => ({
  nick: null,
  avatar: null,
  banner: null,
  roles: member.roles,
  joined_at: new Date(member.joinedAt).toISOString(),
  premium_since: null,
  deaf: false,
  mute: false,
  pending: false,
  flags: 0 as GuildMemberFlags,
  communication_disabled_until: null,
});
