import { isRecord } from '../../../lib/exact-json.ts';
import { malformedError } from '../errors.ts';
import { findRecord, hasId, hasState, normaliseStatus, readStatusWord } from '../record.ts';
import { mediumPlaces, trackPlaces } from './media.ts';
import { findJobId } from './search/job-id.ts';
import { ACKNOWLEDGED, isUnrelated } from './search/names.ts';
import { findState } from './search/state.ts';
import type { Spot } from './search/survey.ts';
import { buttonPlaces, type Family, seedPlaces, submissionPlaces, tables, timePlaces } from './table.ts';

interface FoundTask {
  record: Record<string, unknown>;
  word: string | undefined;
  /** Whether the record was found by the search, and not in a known place. */
  isFoundBySearch?: boolean;
  isContradictory?: boolean;
  /** The word may only mean that the request succeeded: without a result, the task is still running. */
  isAcknowledged?: boolean;
}

/** Returns the task's record and its status word: from the known places, or else from the place where the search finds a state. */
export function findTask(family: Family, response: unknown, spots: () => readonly Spot[]): FoundTask {
  const record = findRecord(response);
  if (record === undefined) throw malformedError('The gateway’s response is not a task.');
  const word = readStatusWord(record, tables[family].status);
  const isWrapperStatus =
    word !== undefined && hasState(record) && !hasId(record) && ACKNOWLEDGED.has(normaliseStatus(word));
  if (word !== undefined && !isWrapperStatus) return { record, word };
  const found = findState(spots(), family);
  // Contradictory words are treated like an unknown word: the task is running.
  if (found === 'torn') return { record, word: undefined, isContradictory: true };
  if (found === undefined) {
    // In the image-prompt family, `state` may be the caller's tag or the job's state, so a wrapper's "success" next to it does not end a task.
    if (isWrapperStatus && spots().some((spot) => spot.holder !== record && isOtherState(spot)))
      return { record, word: undefined, isContradictory: true };
    const job = isWrapperStatus ? findJobId(spots(), family, new Set()) : undefined;
    const isSameRecord = job === undefined || job.holder === record;
    return { record, word: isSameRecord ? word : undefined, isAcknowledged: isWrapperStatus && job === undefined };
  }
  return { record: withKnownNames(found.holder), word: found.word, isFoundBySearch: true };
}

const isOtherState = ({ words, value, ancestors, isListed }: Spot): boolean =>
  words.join() === 'state' &&
  typeof value === 'string' &&
  value !== '' &&
  !isListed &&
  !isUnrelated({ words, ancestors });

const MAX_DEPTH = 6;
const MAX_FIELDS = 2_000;
const MAX_NAME_LENGTH = 80;

/** The letters of a name, which are the same for `TaskID`, `task-id` and `task_id`. */
const normalizeName = (name: string): string => name.replaceAll(/[^a-z\d]/gi, '').toLowerCase();

/** All spellings of the names in the tables, by their letters. */
function spellingsIn(table: unknown): ReadonlyMap<string, readonly string[]> {
  const spellings = new Map<string, string[]>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      const matches = spellings.get(normalizeName(value)) ?? [];
      spellings.set(normalizeName(value), [...new Set([...matches, value])]);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) visit(inner);
    }
  };
  visit(table);
  return spellings;
}

const spellings = spellingsIn([
  tables,
  [mediumPlaces, trackPlaces, buttonPlaces, submissionPlaces, timePlaces, seedPlaces],
]);

/** The same record, with its fields spelled as in the tables. */
export function withKnownNames(record: Record<string, unknown>): Record<string, unknown> {
  let remaining = MAX_FIELDS;
  const copy = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH || remaining <= 0) return value;
    if (Array.isArray(value)) return value.length > remaining ? value : value.map((item) => copy(item, depth + 1));
    return isRecord(value) ? copyRecord(value, depth) : value;
  };
  const copyRecord = (value: Record<string, unknown>, depth: number): Record<string, unknown> => {
    const entries: [string, unknown][] = [];
    for (const name in value) {
      if (!Object.hasOwn(value, name) || remaining-- <= 0) continue;
      const child = copy(value[name], depth + 1);
      const matches = name.length > MAX_NAME_LENGTH ? [] : (spellings.get(normalizeName(name)) ?? []);
      const names = matches.length === 0 ? [name] : matches.filter((one) => one === name || !Object.hasOwn(value, one));
      for (const one of names) entries.push([one, child]);
    }
    return Object.fromEntries(entries);
  };
  return copyRecord(record, 0);
}
