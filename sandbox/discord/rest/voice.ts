import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import { botPermissions, hasPermissions } from '../permissions.ts';
import { noVoiceMessages } from '../refusal.ts';
import type { Channel } from '../world.ts';

/** Throws if the bot may not send voice messages in a channel. If the bot is not installed there, its own permissions do not apply. */
export function checkVoice(channel: Channel, parts: Parts): void {
  const guild = parts.world.guildOf(channel);
  const isNotInstalled = guild ? !guild.installed : channel.includesApplication !== true;
  if (!isNotInstalled && !hasPermissions(botPermissions(channel, parts), Permission.SendVoiceMessages))
    throw noVoiceMessages();
}
