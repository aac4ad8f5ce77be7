import { MessageFlags } from 'discord-api-types/v10';
import type { BodyFacts } from './facts.ts';
import { isAbsent, type JsonObject, listIn, numberIn, objectIn, textIn } from './json.ts';
import { field, item, type Violation, violation } from './violation.ts';

const WAVEFORM_BYTES = 256;

/** The content that a voice message cannot have. */
const CONTENTS = ['content', 'embeds', 'components', 'sticker_ids', 'poll'];

export const isVoice = (flags: unknown): boolean => ((numberIn(flags) ?? 0) & MessageFlags.IsVoiceMessage) !== 0;

/** Documentation, resources/message, "Message Flags": one audio file with duration and waveform, and nothing else. */
export function validateVoice(message: JsonObject, facts: BodyFacts, editing: boolean, path: string): Violation[] {
  if (editing) return validateEdit(message, facts, path);
  if (!isVoice(message.flags)) return [];
  const [file, ...others] = facts.files;
  const listed = listIn(message.attachments);
  const { duration_secs: seconds, waveform } = objectIn(listed[0]);
  const at = field(path, 'attachments');
  return [
    ...CONTENTS.filter((name) => !isEmpty(message[name])).map((name) =>
      numbered(field(path, name), 50159, 'Voice messages do not support additional content.'),
    ),
    ...(file?.isAudio !== true || others.length > 0 || listed.length > 1
      ? [numbered(at, 50160, 'Voice messages must have a single audio attachment.')]
      : []),
    ...((numberIn(seconds) ?? 0) <= 0 || textIn(waveform) === ''
      ? [numbered(at, 50161, 'Voice messages must have supporting metadata.')]
      : validateWaveform(textIn(waveform), field(item(at, 0), 'waveform'))),
  ];
}

function validateEdit(message: JsonObject, { files, before }: BodyFacts, path: string): Violation[] {
  if (isVoice(before?.flags)) {
    const isChanged = files.length > 0 || [...CONTENTS, 'attachments'].some((name) => !isAbsent(message[name]));
    return isChanged ? [numbered(path, 50162, 'Voice messages cannot be edited.')] : [];
  }
  if (!isVoice(message.flags)) return [];
  return [violation(field(path, 'flags'), 'MESSAGE_FLAG_NOT_ALLOWED', 'An edit cannot make a voice message')];
}

function validateWaveform(waveform: string, at: string): Violation[] {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(waveform);
  if (isBase64 && Buffer.from(waveform, 'base64').length <= WAVEFORM_BYTES) return [];
  const reason = `A waveform is base64 of ${WAVEFORM_BYTES} bytes or fewer.`;
  return [violation(at, 'VOICE_MESSAGE_WAVEFORM_INVALID', reason)];
}

const isEmpty = (value: unknown): boolean =>
  isAbsent(value) || value === '' || (Array.isArray(value) && value.length === 0);

const numbered = (path: string, number: number, message: string): Violation => ({
  path,
  code: `VOICE_MESSAGE_${number}`,
  message,
  number,
});
