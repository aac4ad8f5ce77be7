import { isRecord } from '../../src/lib/exact-json.ts';

/** Longer texts than this are no names. */
const MAX_LENGTH = 60;
/** Shorter words of a prompt say nothing. */
const MIN_WORD_LENGTH = 4;
const MAX_DIGITS = 3;
/** No deeper keys are shown. */
const MAX_DEPTH = 50;
const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]*$/;
/** Random letters and digits, such as a hash or a part of a token. */
const LOOKS_RANDOM = /(?=[a-z_-]*\d)(?=\d*[a-z])[0-9a-f]{8}|(?:[a-z]\d|\d[a-z]){3}/i;
/** The fields whose values are words of the protocol, or name a field of the request. */
const PUBLIC_KEYS = /^(?:status|type|code|object|action|finish_reason|event|state|param|role|level)$/;

/** The keys and words that the embedded sides use too. */
export type KnownWords = Pick<ReadonlySet<string>, 'has'>;

/** Decides which keys and words may be shown in a report: those of the protocol. */
export class Vocabulary {
  readonly #known: KnownWords;
  readonly #private: ReadonlySet<string>;

  /** `ownTexts` are prompts, names, ids and keys of the operator, of which no word may be shown. */
  constructor(known: KnownWords, ownTexts: readonly string[], responses: readonly unknown[] = []) {
    this.#known = known;
    const words = ownTexts.flatMap((text) => text.split(/[^\p{L}\p{N}_-]+/u));
    const texts = [...ownTexts, ...responses.flatMap((response) => textsIn(response))];
    const hidden = [...texts, ...words.filter((word) => word.length >= MIN_WORD_LENGTH)];
    this.#private = new Set(hidden.map((text) => text.toLowerCase()));
  }

  /** Whether this is a name in the protocol, and neither an id nor anything that the operator or a member wrote. */
  isPublic(text: string): boolean {
    const digits = text.replace(/\D/g, '').length;
    if (text.length > MAX_LENGTH || digits > MAX_DIGITS || !NAME.test(text) || LOOKS_RANDOM.test(text)) return false;
    return this.#known.has(text) || !this.#private.has(text.toLowerCase());
  }

  /** A word of the protocol, or the length of anything else. */
  wordOf(text: string): string {
    return text === '' || text === '[DONE]' || this.isPublic(text) ? text : `(${text.length} characters)`;
  }
}

/** The values of all fields that are not words of the protocol. A key that equals one of them may be data. */
function textsIn(value: unknown, key = '', depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') return PUBLIC_KEYS.test(key) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, key, depth + 1));
  return isRecord(value) ? Object.entries(value).flatMap(([name, one]) => textsIn(one, name, depth + 1)) : [];
}
