import { ChannelType, InteractionContextType } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import { directMessagePermissions, permissionsIn } from '../permissions.ts';
import { partialChannelPayload } from '../wire/channel.ts';
import { memberPayload, userPayload } from '../wire/user.ts';
import type { Channel, Guild, User } from '../world.ts';

/** The installing guild (key `0`, with the value 0 in a direct message with the bot) and the installing user (key `1`). */
export function integrationOwners(user: User, channel: Channel, guild: Guild | undefined): Record<string, string> {
  const isDirect = channel.type === ChannelType.DM && channel.includesApplication === true;
  return {
    ...(guild?.installed && { '0': guild.id }),
    ...(isDirect && !user.hasInstalled && { '0': '0' }),
    ...(user.hasInstalled && { '1': user.id }),
  };
}

export function contextOf(channel: Channel): InteractionContextType {
  if (!channel.recipientIds) return InteractionContextType.Guild;
  return channel.includesApplication ? InteractionContextType.BotDM : InteractionContextType.PrivateChannel;
}

export function permissionsOf(user: User, channel: Channel, guild: Guild | undefined): bigint {
  return guild ? permissionsIn(guild, guild.members.get(user.id), channel) : directMessagePermissions;
}

/** The payload fields about the user and the channel (documentation, "Interaction Structure"). */
export function interactionContext(
  user: User,
  channel: Channel,
  guild: Guild | undefined,
  { world, limits }: Parts,
): Record<string, unknown> {
  const member = guild?.members.get(user.id);
  const userPermissions = permissionsOf(user, channel, guild);
  // Without the bot in the guild, the application has the user's permissions.
  const appPermissions = guild?.installed ? permissionsOf(world.bot, channel, guild) : userPermissions;
  return {
    version: 1,
    application_id: world.applicationId,
    channel: {
      ...partialChannelPayload(channel, world),
      ...(guild && { permissions: String(userPermissions) }),
    },
    channel_id: channel.id,
    ...(guild && {
      guild_id: guild.id,
      guild: { id: guild.id, locale: guild.locale, features: [] },
      guild_locale: guild.locale,
    }),
    ...(member
      ? { member: { ...memberPayload(member), user: userPayload(user), permissions: String(userPermissions) } }
      : { user: userPayload(user) }),
    locale: user.locale,
    app_permissions: String(appPermissions),
    attachment_size_limit: limits.uploadBytes,
    authorizing_integration_owners: integrationOwners(user, channel, guild),
    context: contextOf(channel),
    entitlements: [],
    entitlement_sku_ids: [],
  };
}
