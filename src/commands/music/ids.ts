import { isRecord, type Json, parseExact } from '../../lib/exact-json.ts';
import { decodeUrlPart, trimCharactersAtEnd, trimCharactersAtStart } from '../../lib/text.ts';

/** A gateway's id: letters and digits, possibly with separators. Words without a digit are rarely ids. */
const ID_PATTERN = /^(?=.*\d|.{16})[A-Za-z0-9][\w.:-]{2,99}$/;

/** The fields of a gateway's response that contain an id, and those that contain several. */
const ID_NAMES = ['task_id', 'taskId', 'id'];
const LIST_NAMES = ['ids', 'data', 'tasks', 'result'];
/** How deep responses may be nested. */
const MAX_DEPTH = 8;

/** Reads ids in any form: in a list, in URLs, as JSON, or in a gateway's response. Returns them without duplicates, in their order, and what is not an id. */
export function readIds(text: string): { ids: string[]; invalid: string[] } {
  const json = jsonIn(text.trim());
  const words = json === undefined ? splitText(text) : wordsIn(json, 0);
  const results = words.map((word) => ({ word, id: idIn(word) }));
  const ids = new Set(results.flatMap(({ id }) => id ?? []));
  const invalid = new Set(results.flatMap(({ word, id }) => (id === undefined ? [word] : [])));
  return { ids: [...ids], invalid: [...invalid] };
}

/** Also accepts several values in a row, and a list whose brackets were not copied. */
function jsonIn(text: string): Json | undefined {
  if (!/^["[{]/.test(text)) return undefined;
  for (const attempt of [text, `[${text.replace(/\}[\s,]*\{/g, '},{').replace(/,\s*$/, '')}]`]) {
    try {
      return parseExact(attempt);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

function wordsIn(value: unknown, depth: number): string[] {
  if (value === null || value === undefined || depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((one) => wordsIn(one, depth + 1));
  if (!isRecord(value)) return splitText(String(value));
  for (const name of ID_NAMES) {
    const id = value[name];
    if ((typeof id === 'string' && id !== '') || typeof id === 'number') return [String(id)];
  }
  return LIST_NAMES.flatMap((name) => wordsIn(value[name], depth + 1));
}

/** Brackets and quotes that were copied with an id. */
const LEADING_CHARACTERS = '"\'`<([{';
const TRAILING_CHARACTERS = '"\'`>)]}.';

function splitText(text: string): string[] {
  return text
    .split(/[\s,;|]+/)
    .map((word) => trimCharactersAtEnd(trimCharactersAtStart(word, LEADING_CHARACTERS), TRAILING_CHARACTERS))
    .filter((word) => word !== '');
}

function idIn(word: string): string | undefined {
  const id = /^https?:\/\//i.test(word) ? idInUrl(word) : word;
  return id !== undefined && ID_PATTERN.test(id) ? id : undefined;
}

function idInUrl(link: string): string {
  const url = URL.parse(link);
  const parts = url?.pathname.split('/').filter((part) => part !== '') ?? [];
  const queryId = ID_NAMES.map((name) => url?.searchParams.get(name)).find((id) => id);
  return queryId ?? decodeUrlPart(parts.at(-1) ?? '');
}

/** The most items that one sentence lists. */
const MAX_LISTED = 20;
const MAX_NAME_LENGTH = 60;

/** Shortens a list so that it fits into a sentence. */
export function shortenList(words: readonly string[]): string[] {
  const shownWords = words.slice(0, MAX_LISTED).map((word) => word.slice(0, MAX_NAME_LENGTH));
  return words.length > MAX_LISTED ? [...shownWords, `+${words.length - MAX_LISTED}`] : shownWords;
}
