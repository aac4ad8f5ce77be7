import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import type { InteractionFacts } from './place.ts';

interface NeededPermission {
  bit: bigint;
  /** The name shown in Discord's settings. */
  name: string;
  purpose: 'results' | 'files' | 'history' | 'threads' | 'speech';
}

/** All permissions that any feature needs; the invite link asks for exactly these. */
export const neededPermissions: readonly NeededPermission[] = [
  { bit: PermissionFlagsBits.ViewChannel, name: 'View Channel', purpose: 'results' },
  { bit: PermissionFlagsBits.SendMessages, name: 'Send Messages', purpose: 'results' },
  { bit: PermissionFlagsBits.SendMessagesInThreads, name: 'Send Messages in Threads', purpose: 'results' },
  { bit: PermissionFlagsBits.AttachFiles, name: 'Attach Files', purpose: 'files' },
  { bit: PermissionFlagsBits.ReadMessageHistory, name: 'Read Message History', purpose: 'history' },
  { bit: PermissionFlagsBits.CreatePublicThreads, name: 'Create Public Threads', purpose: 'threads' },
  { bit: PermissionFlagsBits.CreatePrivateThreads, name: 'Create Private Threads', purpose: 'threads' },
  { bit: PermissionFlagsBits.SendVoiceMessages, name: 'Send Voice Messages', purpose: 'speech' },
];

/** The names of the permissions that the bot lacks in a channel. */
export function missingPermissions({ appPermissions }: InteractionFacts): string[] {
  const granted = new PermissionsBitField(appPermissions);
  return neededPermissions.filter(({ bit }) => !granted.has(bit)).map(({ name }) => name);
}
