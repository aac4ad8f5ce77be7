import { signal } from '@preact/signals';
import type { FileSent } from '../../protocol.ts';
import { bytesText } from '../markdown/time.ts';
import { say, sendSlash } from '../state/acts.ts';
import { sentenceOf } from '../state/session.ts';
import { channel, world } from '../state/world.ts';
import { encodeFile } from './bytes.ts';
import { chosenCommand, discardCommand, files, optionValues, text, validateDraft } from './draft.ts';
import { sentValue } from './filled.ts';

/** Why a plain message was not sent. */
export const refusal = signal<string | undefined>(undefined);

export async function sendCommand(): Promise<void> {
  const leaf = chosenCommand.value;
  if (!leaf || !validateDraft()) return;
  const values = optionValues.value;
  discardCommand();
  const options: Record<string, string | number | boolean | FileSent> = {};
  for (const option of leaf.options) {
    const value = sentValue(option, values.get(option.name));
    if (value !== undefined) options[option.name] = value instanceof File ? await encodeFile(value) : value;
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
    await say(words, await Promise.all(given.map(encodeFile)));
  } catch (error) {
    refusal.value = sentenceOf(error);
    if (text.value === '') text.value = words;
  }
}
