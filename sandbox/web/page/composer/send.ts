import { signal } from '@preact/signals';
import type { FileSent } from '../../protocol.ts';
import { bytesText } from '../markdown/time.ts';
import { say, sendSlash } from '../state/acts.ts';
import { sentenceOf } from '../state/session.ts';
import { channel, world } from '../state/world.ts';
import { sentFile } from './bytes.ts';
import { chosen, files, filled, isSendable, leave, text } from './draft.ts';
import { sentValue } from './filled.ts';

/** Why a plain message was not sent. */
export const refusal = signal<string | undefined>(undefined);

export async function sendCommand(): Promise<void> {
  const leaf = chosen.value;
  if (!leaf || !isSendable()) return;
  const values = filled.value;
  leave();
  const options: Record<string, string | number | boolean | FileSent> = {};
  for (const option of leaf.options) {
    const value = sentValue(option, values.get(option.name));
    if (value !== undefined) options[option.name] = value instanceof File ? await sentFile(value) : value;
  }
  await sendSlash(leaf.path, options);
}

export async function sendText(): Promise<void> {
  const words = text.value.trim();
  const given = files.value;
  if (words === '' && given.length === 0) return;
  if (channel.value?.maySend === false) {
    refusal.value = 'You do not have permission to send messages in this channel.';
    return;
  }
  const { uploadBytes = 0 } = world.value ?? {};
  const large = given.find(({ size }) => size > uploadBytes);
  if (large) {
    refusal.value = `${large.name} is larger than ${bytesText(uploadBytes)}.`;
    return;
  }
  text.value = '';
  files.value = [];
  refusal.value = undefined;
  try {
    await say(words, await Promise.all(given.map(sentFile)));
  } catch (error) {
    refusal.value = sentenceOf(error);
    if (text.value === '') text.value = words;
  }
}
