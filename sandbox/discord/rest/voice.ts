import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import { botPermissions, has } from '../permissions.ts';
import { noVoiceMessages } from '../refusal.ts';
import type { Channel } from '../world.ts';

/** Without an installation, the bot's own permissions do not apply. */
export function checkVoice(channel: Channel, parts: Parts): void {
  const guild = parts.world.guildOf(channel);
  const isNotInstalled = guild ? !guild.installed : channel.withApplication !== true;
  if (!isNotInstalled && !has(botPermissions(channel, parts), Permission.SendVoiceMessages)) throw noVoiceMessages();
}
