import { signal } from '@preact/signals';
import type { EncodedFile } from '../../protocol.ts';
import { bytesText } from '../markdown/time.ts';
import { sendMessage, sendSlash } from '../state/actions.ts';
import { errorMessage } from '../state/api.ts';
import { channel, world } from '../state/world.ts';
import { chosenCommand, discardCommand, files, optionValues, text, validateDraft } from './draft.ts';
import { encodeFile } from './encode-file.ts';
import { valueToSend } from './option-value.ts';

/** Why a plain message was not sent. */
export const sendError = signal<string | undefined>(undefined);

export async function sendCommand(): Promise<void> {
  const leaf = chosenCommand.value;
  if (!leaf || !validateDraft()) return;
  const values = optionValues.value;
  discardCommand();
  const options: Record<string, string | number | boolean | EncodedFile> = {};
  for (const option of leaf.options) {
    const value = valueToSend(option, values.get(option.name));
    if (value !== undefined) options[option.name] = value instanceof File ? await encodeFile(value) : value;
  }
  await sendSlash(leaf.path, options);
}

export async function sendText(): Promise<void> {
  const content = text.value.trim();
  const attachedFiles = files.value;
  if (content === '' && attachedFiles.length === 0) return;
  if (channel.value?.maySend === false) {
    sendError.value = 'You do not have permission to send messages in this channel.';
    return;
  }
  const { uploadBytes = 0 } = world.value ?? {};
  const oversizedFile = attachedFiles.find(({ size }) => size > uploadBytes);
  if (oversizedFile) {
    sendError.value = `${oversizedFile.name} is larger than ${bytesText(uploadBytes)}.`;
    return;
  }
  text.value = '';
  files.value = [];
  sendError.value = undefined;
  try {
    await sendMessage(content, await Promise.all(attachedFiles.map(encodeFile)));
  } catch (error) {
    sendError.value = errorMessage(error);
    if (text.value === '') text.value = content;
  }
}
