import { isAbsent, isObject } from './json.ts';
import { field, required, type Violation, violation } from './violation.ts';

const UNICODE_EMOJI = /^\p{RGI_Emoji}$/v;

/** Without an id, the name must be a Unicode emoji; Discord refuses a message with a character that only looks like one. */
export function validateEmoji(emoji: unknown, path: string): Violation[] {
  if (!isObject(emoji) || !isAbsent(emoji.id)) return [];
  const { name } = emoji;
  const namePath = field(path, 'name');
  if (isAbsent(name)) return [required(namePath)];
  if (typeof name !== 'string' || UNICODE_EMOJI.test(name)) return [];
  return [violation(namePath, 'COMPONENT_INVALID_EMOJI', 'Invalid emoji')];
}
