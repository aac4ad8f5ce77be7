import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel, Guild, Member, ThreadChannel, World } from './world.ts';

const allPermissions = Object.values(PermissionFlagsBits).reduce((sum, bit) => sum | bit, 0n);

export const isThread = (channel: Channel): channel is ThreadChannel => channel.thread !== undefined;

/** Permissions in direct messages, which have no roles (as observed in `app_permissions`). */
export const directMessagePermissions =
  PermissionFlagsBits.AddReactions |
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendTTSMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.MentionEveryone |
  PermissionFlagsBits.UseExternalEmojis |
  PermissionFlagsBits.UseApplicationCommands |
  PermissionFlagsBits.UseExternalApps |
  PermissionFlagsBits.SendVoiceMessages;

/** The permissions of @everyone and of the member's roles; none for someone who is not a member. */
export const rolePermissions = (guild: Guild, member: Member | undefined): bigint =>
  guild.roles
    .filter((role) => member && (role.id === guild.id || member.roles.includes(role.id)))
    .reduce((sum, role) => sum | role.permissions, 0n);

/** The order is documented (topics/permissions, "Permission Overwrites"); threads use their parent's overwrites. */
export function permissionsIn(guild: Guild, member: Member | undefined, channel: Channel): bigint {
  if (!member) return 0n;
  const basePermissions = rolePermissions(guild, member);
  if (guild.ownerId === member.userId || (basePermissions & PermissionFlagsBits.Administrator) !== 0n)
    return allPermissions;
  const parent = isThread(channel) ? guild.channels.find(({ id }) => id === channel.parentId) : channel;
  const overwrites = parent?.overwrites ?? [];
  const apply = (bits: bigint, applicable: readonly { allow: bigint; deny: bigint }[]) => {
    const deny = applicable.reduce((sum, one) => sum | one.deny, 0n);
    const allow = applicable.reduce((sum, one) => sum | one.allow, 0n);
    return (bits & ~deny) | allow;
  };
  const everyoneOverwrites = overwrites.filter(({ id }) => id === guild.id);
  const roleOverwrites = overwrites.filter(({ id }) => id !== guild.id && member.roles.includes(id));
  const memberOverwrites = overwrites.filter(({ id }) => id === member.userId);
  const effectivePermissions = [everyoneOverwrites, roleOverwrites, memberOverwrites].reduce(apply, basePermissions);
  // Without View Channel, no other permission applies.
  return (effectivePermissions & PermissionFlagsBits.ViewChannel) === 0n ||
    isHidden(channel, member, effectivePermissions)
    ? 0n
    : effectivePermissions;
}

/** A private thread is visible only to its members and to users with Manage Threads. */
const isHidden = ({ type, thread }: Channel, { userId }: Member, permissions: bigint) =>
  type === ChannelType.PrivateThread &&
  (permissions & PermissionFlagsBits.ManageThreads) === 0n &&
  thread?.members.has(userId) !== true;

export const hasPermissions = (permissions: bigint, required: bigint) => (permissions & required) === required;

/** The bot's permissions in a channel; none if the bot is not in its guild. */
export function botPermissions(channel: Channel, { world }: { readonly world: World }): bigint {
  const guild = world.guildOf(channel);
  if (!guild) return channel.includesApplication ? directMessagePermissions : 0n;
  return guild.installed ? permissionsIn(guild, guild.members.get(world.bot.id), channel) : 0n;
}
