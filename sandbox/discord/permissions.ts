import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel, Guild, Member } from './world.ts';

const all = Object.values(PermissionFlagsBits).reduce((sum, bit) => sum | bit, 0n);

export const isThread = (channel: Channel) =>
  channel.type === ChannelType.PublicThread ||
  channel.type === ChannelType.PrivateThread ||
  channel.type === ChannelType.AnnouncementThread;

/** What holds in a direct message, where no roles are (seen in `app_permissions` there). */
export const inDirectMessages =
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
  PermissionFlagsBits.UseExternalApps;

/** The order of documentation, topics/permissions, "Permission Overwrites"; a thread has those of its channel. */
export function permissionsIn(guild: Guild, member: Member | undefined, channel: Channel): bigint {
  if (!member) return 0n;
  const roles = guild.roles.filter((role) => role.id === guild.id || member.roles.includes(role.id));
  const base = roles.reduce((sum, role) => sum | role.permissions, 0n);
  if (guild.ownerId === member.userId || (base & PermissionFlagsBits.Administrator) !== 0n) return all;
  const parent = isThread(channel) ? guild.channels.find(({ id }) => id === channel.parentId) : channel;
  const overwrites = parent?.overwrites ?? [];
  const apply = (bits: bigint, chosen: readonly { allow: bigint; deny: bigint }[]) => {
    const deny = chosen.reduce((sum, one) => sum | one.deny, 0n);
    const allow = chosen.reduce((sum, one) => sum | one.allow, 0n);
    return (bits & ~deny) | allow;
  };
  const everyone = overwrites.filter(({ id }) => id === guild.id);
  const byRole = overwrites.filter(({ id }) => id !== guild.id && member.roles.includes(id));
  const own = overwrites.filter(({ id }) => id === member.userId);
  const found = [everyone, byRole, own].reduce(apply, base);
  // Who may not see a channel may do nothing in it.
  return (found & PermissionFlagsBits.ViewChannel) === 0n ? 0n : found;
}

export const has = (permissions: bigint, wanted: bigint) => (permissions & wanted) === wanted;
