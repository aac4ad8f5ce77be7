export function trimCharactersAtStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start++;
  return text.slice(start);
}

/** Removes characters from the end of a string. A pattern such as `/x+$/` does the same, but takes seconds for a run of 100,000 in the middle. */
export function trimCharactersAtEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text of a part of a URL. One that was written by hand may contain a stray %. */
export function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}

/** Spaces, control characters, and characters that draw nothing by themselves do not count. */
export const hasVisibleText = (text: string): boolean => /[^\s\p{Cc}\p{Cf}\p{M}\p{DI}\u2800]/u.test(text);

const ENDS_IN_CHINESE_OR_JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;

/** Text from outside as a whole sentence of its own language. */
export function asSentence(text: string): string {
  if (ENDS_IN_CHINESE_OR_JAPANESE.test(text)) return `${text}。`;
  return /[\p{L}\p{N}]$/u.test(text) ? `${text}.` : text;
}

/** Text without links, mentions, custom emoji and Markdown, on one line. */
export const plainWords = (text: string): string =>
  text
    .slice(0, MAX_PLAIN_LENGTH)
    .replace(/https?:\/\/\S+|<[^<>\s]{1,100}>|[\\*_~`|>#[\]]|[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Names use only the first words. */
const MAX_PLAIN_LENGTH = 500;

/** Control characters, line separators, and characters that change the direction of text. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
/** The same characters, except those that JSON already escapes. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const escapeSequence = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Makes untrusted text safe for a terminal, on one line. */
export const terminalSafe = (text: string): string => text.replace(UNSAFE, escapeSequence);

/** Makes a line of JSON safe for a terminal; the line stays valid JSON. */
export const terminalSafeJson = (line: string): string => line.replace(UNSAFE_IN_JSON, escapeSequence);

/** Levenshtein distance, keeping only the previous row: `row[j]` is the distance from the part of `from` read so far to `to.slice(0, j)`. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (let j = 1; j <= to.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (character === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
