import { PermissionFlagsBits as May } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import { botPermissions, has } from '../permissions.ts';
import { noVoiceMessages } from '../refusal.ts';
import type { Channel } from '../world.ts';

/** Where the application is not installed, what it may do is the person's affair. */
export function checkVoice(channel: Channel, parts: Parts): void {
  const guild = parts.world.guildOf(channel);
  const isAbroad = guild ? !guild.installed : channel.withApplication !== true;
  if (!isAbroad && !has(botPermissions(channel, parts), May.SendVoiceMessages)) throw noVoiceMessages();
}
