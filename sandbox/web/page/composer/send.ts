import { signal } from '@preact/signals';
import type { EncodedFile } from '../../protocol.ts';
import { bytesText } from '../markdown/time.ts';
import { editMessage, removeMessage, sendMessage, sendReply, sendSlash } from '../state/actions.ts';
import { errorMessage } from '../state/api.ts';
import { channel, world } from '../state/world.ts';
import {
  chosenCommand,
  discardCommand,
  files,
  optionValues,
  type TextTarget,
  text,
  textTarget,
  validateDraft,
} from './draft.ts';
import { encodeFile } from './encode-file.ts';
import { namesToIds } from './mentions.ts';
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
  const typed = text.value.trim();
  const target = textTarget.value;
  const attachedFiles = target?.how === 'edit' ? [] : files.value;
  if (typed === '' && attachedFiles.length === 0 && target?.how !== 'edit') return;
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
  textTarget.value = undefined;
  if (target?.how !== 'edit') files.value = [];
  sendError.value = undefined;
  try {
    await post(namesToIds(typed), attachedFiles, target);
  } catch (error) {
    sendError.value = errorMessage(error);
    if (text.value !== '') return;
    text.value = typed;
    textTarget.value = target;
  }
}

async function post(content: string, attachedFiles: readonly File[], target: TextTarget | undefined) {
  if (target?.how === 'edit') return editMessage(target.message.id, content);
  const encodedFiles = await Promise.all(attachedFiles.map(encodeFile));
  return target ? sendReply(target.message.id, content, target.ping, encodedFiles) : sendMessage(content, encodedFiles);
}

export async function removeOwnMessage(message: string): Promise<void> {
  try {
    await removeMessage(message);
  } catch (error) {
    sendError.value = errorMessage(error);
  }
}
