import type { Spot } from './survey.ts';
import {
  ACKNOWLEDGED,
  hasAny,
  ID_WORDS,
  JOB_WORDS,
  KIND_WORDS,
  RESULT_WORDS,
  STATE_WORDS,
  UNRELATED_ID_WORDS,
  UNRELATED_WORDS,
  WEAK_ID_WORDS,
  wordsOf,
} from './words.ts';

type Place = Pick<Spot, 'words' | 'ancestors'>;

const STATE_SUFFIXES = new Set(['text', 'name', 'label', 'word']);
const PART_WORDS: ReadonlySet<string> = new Set(Object.values(KIND_WORDS).flatMap((words) => [...words]));

/** Whether a field belongs to something other than the job, such as its user, its model, the request or the echoed input. */
export const isUnrelated = ({ ancestors }: Place): boolean => ancestors.some((words) => hasAny(words, UNRELATED_WORDS));

export function isStateName(words: readonly string[]): boolean {
  const name = STATE_SUFFIXES.has(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  return STATE_WORDS.has(name.at(-1) ?? '') && !hasAny(words, UNRELATED_WORDS);
}

export type IdName = 'job id' | 'job code' | 'job' | 'id' | 'id of a part' | 'other id';

/** What the name of a field says about an id in it. Undefined if the field contains the id of something else, or no id at all. */
export function idNameOf({ words, ancestors }: Place): IdName | undefined {
  const last = words.at(-1) ?? '';
  const stem = words.slice(0, -1);
  if (hasAny(stem, UNRELATED_ID_WORDS)) return undefined;
  const isJob = hasAny(stem, JOB_WORDS);
  if (ID_WORDS.has(last) && isJob) return 'job id';
  if (WEAK_ID_WORDS.has(last)) return isJob ? 'job code' : undefined;
  if (JOB_WORDS.has(last)) return 'job';
  if (!ID_WORDS.has(last)) return undefined;
  if (stem.length > 0) return 'other id';
  const parent = ancestors.at(-1) ?? [];
  if (hasAny(parent, JOB_WORDS)) return 'job id';
  return hasAny(parent, RESULT_WORDS) || hasAny(parent, PART_WORDS) ? 'id of a part' : 'id';
}

/** Whether a record has a state of its own. The state of a request does not count. */
export const hasStateField = (holder: Readonly<Record<string, unknown>>): boolean =>
  hasField(
    holder,
    (words, value) => typeof value === 'string' && isStateName(words) && !ACKNOWLEDGED.has(value.toLowerCase()),
  );

/** Whether a record has a field whose name says that it contains a job's id. */
export const hasIdField = (holder: Readonly<Record<string, unknown>>): boolean =>
  hasField(holder, (words, value) => {
    const name = idNameOf({ words, ancestors: [] });
    return (
      (name === 'job id' || name === 'id' || name === 'job code') &&
      (typeof value === 'string' || typeof value === 'number')
    );
  });

/** A record with more fields than this is a map. */
const MAX_FIELDS = 100;

function hasField(
  holder: Readonly<Record<string, unknown>>,
  matches: (words: readonly string[], value: unknown) => boolean,
): boolean {
  let remaining = MAX_FIELDS;
  for (const name in holder) {
    if (remaining-- <= 0) return false;
    if (matches(wordsOf(name), holder[name])) return true;
  }
  return false;
}
