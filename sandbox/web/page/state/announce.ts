import { signal } from '@preact/signals';
import type { VisibleMessage } from '../../protocol.ts';
import { Flag } from '../discord-api.ts';
import { toPlainText } from '../markdown/plain.ts';
import { nameOf } from './world.ts';

/** The text for screen readers. */
export const announcement = signal('');

const MAX_LENGTH = 240;

/** Announces new messages and completed responses, but not every progress edit. */
export function announce(message: VisibleMessage, previous: VisibleMessage | undefined): void {
  const isThinking = (message.flags ?? 0) & Flag.loading;
  const wasThinking = previous !== undefined && (previous.flags ?? 0) & Flag.loading;
  const isFinished = previous?.attachments.length === 0 && message.attachments.length > 0;
  if (previous && !wasThinking && !isFinished) return;
  const name = message.author.global_name ?? message.author.username;
  const isVoice = ((message.flags ?? 0) & Flag.voice) !== 0;
  const files = message.attachments
    .map(({ description, filename }) => description ?? (isVoice ? 'voice message' : filename))
    .join(', ');
  const text = toPlainText(message.content, nameOf).slice(0, MAX_LENGTH);
  announceText(isThinking ? `${name} is thinking` : `${name}: ${text} ${files}`);
}

export function announceText(text: string): void {
  announcement.value = text;
}
