import { FormData } from 'undici';
import { isRecord } from '../../../../lib/exact-json.ts';
import { parseJson } from '../places.ts';

/** Longer strings are files or lyrics, never an id or a URL. */
const MAX_VALUE_LENGTH = 8_192;
/** Shorter strings, such as a duration, may equal an id by chance. */
const MIN_WORD_LENGTH = 6;
const MAX_VALUES = 500;
const MAX_DEPTH = 8;

/** Collects all words of a request, so that an echo in the response is not mistaken for something new. */
export function collectRequestWords({ body, headers = {} }: { body: unknown; headers?: object }): ReadonlySet<string> {
  const words = new Set<string>();
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || words.size >= MAX_VALUES) return;
    if (typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_VALUE_LENGTH))
      for (const word of String(value).split(/\s+/, MAX_VALUES)) if (word.length >= MIN_WORD_LENGTH) words.add(word);
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    else if (value instanceof FormData) for (const [, item] of value) visit(item, depth + 1);
    else if (isRecord(value)) for (const item of Object.values(value)) visit(item, depth + 1);
  };
  visit(typeof body === 'string' ? parseJson(body) : body, 0);
  visit(Object.values(headers), 0);
  return words;
}
