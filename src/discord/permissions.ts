import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import type { InteractionFacts } from './place.ts';

interface Permission {
  /** Having any one of them is enough. */
  bits: bigint;
  /** The name shown in Discord's settings. */
  name: string;
  purpose: 'results' | 'files' | 'history' | 'threads' | 'speech';
}

const { SendMessages, SendMessagesInThreads } = PermissionFlagsBits;

/** All permissions that any feature needs; the invite link asks for exactly these. */
export const permissions = {
  view: { bits: PermissionFlagsBits.ViewChannel, name: 'View Channel', purpose: 'results' },
  send: { bits: SendMessages, name: 'Send Messages', purpose: 'results' },
  sendInThreads: { bits: SendMessagesInThreads, name: 'Send Messages in Threads', purpose: 'results' },
  attach: { bits: PermissionFlagsBits.AttachFiles, name: 'Attach Files', purpose: 'files' },
  readHistory: { bits: PermissionFlagsBits.ReadMessageHistory, name: 'Read Message History', purpose: 'history' },
  createThread: { bits: PermissionFlagsBits.CreatePublicThreads, name: 'Create Public Threads', purpose: 'threads' },
  createPrivateThread: {
    bits: PermissionFlagsBits.CreatePrivateThreads,
    name: 'Create Private Threads',
    purpose: 'threads',
  },
  speak: { bits: PermissionFlagsBits.SendVoiceMessages, name: 'Send Voice Messages', purpose: 'speech' },
} as const satisfies Record<string, Permission>;

export const neededPermissions: readonly Permission[] = Object.values(permissions);

/** The names of the permissions that the bot lacks in a channel. */
export function missingPermissions(
  { appPermissions }: InteractionFacts,
  required: readonly Permission[] = neededPermissions,
): string[] {
  const granted = new PermissionsBitField(appPermissions);
  return required.filter(({ bits }) => !granted.any(bits)).map(({ name }) => name);
}
