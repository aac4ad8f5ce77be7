import { signal } from '@preact/signals';
import type { SeenMessage } from '../../protocol.ts';
import { plain } from '../markdown/plain.ts';
import { Flag } from '../wire.ts';
import { nameOf } from './world.ts';

/** The text for screen readers. */
export const announcement = signal('');

const LONGEST = 240;

/** Announces new messages and completed responses, but not every progress edit. */
export function announce(message: SeenMessage, before: SeenMessage | undefined): void {
  const isThinking = (message.flags ?? 0) & Flag.loading;
  const wasThinking = before !== undefined && (before.flags ?? 0) & Flag.loading;
  const isFinished = before?.attachments.length === 0 && message.attachments.length > 0;
  if (before && !wasThinking && !isFinished) return;
  const name = message.author.global_name ?? message.author.username;
  const isVoice = ((message.flags ?? 0) & Flag.voice) !== 0;
  const files = message.attachments
    .map(({ description, filename }) => description ?? (isVoice ? 'voice message' : filename))
    .join(', ');
  const text = plain(message.content, nameOf).slice(0, LONGEST);
  say(isThinking ? `${name} is thinking` : `${name}: ${text} ${files}`);
}

export function say(text: string): void {
  announcement.value = text;
}
