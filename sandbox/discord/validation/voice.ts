import { MessageFlags } from 'discord-api-types/v10';
import type { BodyFacts } from './facts.ts';
import { asList, asNumber, asObject, asString, isAbsent, type JsonObject } from './json.ts';
import { field, item, type Violation, violation } from './violation.ts';

const MAX_WAVEFORM_BYTES = 256;

/** The fields that a voice message cannot have. */
const FORBIDDEN_FIELDS = ['content', 'embeds', 'components', 'sticker_ids', 'poll'];

export const isVoice = (flags: unknown): boolean => ((asNumber(flags) ?? 0) & MessageFlags.IsVoiceMessage) !== 0;

/** Documentation, resources/message, "Message Flags": one audio file with duration and waveform, and nothing else. */
export function validateVoice(message: JsonObject, facts: BodyFacts, isEdit: boolean, path: string): Violation[] {
  if (isEdit) return validateEdit(message, facts, path);
  if (!isVoice(message.flags)) return [];
  const [file, ...others] = facts.files;
  const attachments = asList(message.attachments);
  const { duration_secs: seconds, waveform } = asObject(attachments[0]);
  const fieldPath = field(path, 'attachments');
  return [
    ...FORBIDDEN_FIELDS.filter((name) => !isEmpty(message[name])).map((name) =>
      errorCodeViolation(field(path, name), 50159, 'Voice messages do not support additional content.'),
    ),
    ...(file?.isAudio !== true || others.length > 0 || attachments.length > 1
      ? [errorCodeViolation(fieldPath, 50160, 'Voice messages must have a single audio attachment.')]
      : []),
    ...((asNumber(seconds) ?? 0) <= 0 || asString(waveform) === ''
      ? [errorCodeViolation(fieldPath, 50161, 'Voice messages must have supporting metadata.')]
      : validateWaveform(asString(waveform), field(item(fieldPath, 0), 'waveform'))),
  ];
}

function validateEdit(message: JsonObject, { files, previous }: BodyFacts, path: string): Violation[] {
  if (isVoice(previous?.flags)) {
    const isChanged = files.length > 0 || [...FORBIDDEN_FIELDS, 'attachments'].some((name) => !isAbsent(message[name]));
    return isChanged ? [errorCodeViolation(path, 50162, 'Voice messages cannot be edited.')] : [];
  }
  if (!isVoice(message.flags)) return [];
  return [
    violation(field(path, 'flags'), 'MESSAGE_FLAG_NOT_ALLOWED', 'An edit cannot turn a message into a voice message'),
  ];
}

function validateWaveform(waveform: string, fieldPath: string): Violation[] {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(waveform);
  if (isBase64 && Buffer.from(waveform, 'base64').length <= MAX_WAVEFORM_BYTES) return [];
  const reason = `A waveform is base64 of ${MAX_WAVEFORM_BYTES} bytes or fewer.`;
  return [violation(fieldPath, 'VOICE_MESSAGE_WAVEFORM_INVALID', reason)];
}

const isEmpty = (value: unknown): boolean =>
  isAbsent(value) || value === '' || (Array.isArray(value) && value.length === 0);

const errorCodeViolation = (path: string, errorCode: number, message: string): Violation => ({
  path,
  code: `VOICE_MESSAGE_${errorCode}`,
  message,
  errorCode,
});
