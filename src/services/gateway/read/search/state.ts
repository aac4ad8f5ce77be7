import { asNumber, asProgress } from '../../places.ts';
import { meaningOfStatus, normaliseStatus } from '../../record.ts';
import type { Family } from '../table.ts';
import {
  ACKNOWLEDGED,
  hasAny,
  hasIdField,
  isStateName,
  isUnrelated,
  JOB_WORDS,
  PROGRESS_WORDS,
  UNRELATED_WORDS,
} from './names.ts';
import { bestOf, type Spot } from './survey.ts';

interface FoundState {
  word: string;
  holder: Record<string, unknown>;
}

const WORD = /^\p{L}[\p{L}\p{N} _.:/-]{0,60}$/u;

const WRAPPER_NAMES = new Set(['status', 'state']);

/** Returns the job's status word, if exactly one meaning is best; `torn` if the best ones contradict each other. */
export function findState(spots: readonly Spot[], family: Family): FoundState | 'torn' | undefined {
  const candidates = spots.flatMap((spot) => {
    const { value: word, holder } = spot;
    if (typeof word !== 'string' || spot.isListed || !WORD.test(word.trim()) || !isStateName(spot.words)) return [];
    // In this family, `state` is the caller's own tag.
    if (isUnrelated(spot) || (family === 'imgx' && spot.words.join('-') === 'state')) return [];
    // The status of a wrapper says that the request succeeded, and not that the job is done.
    const isWrapperStatus = WRAPPER_NAMES.has(spot.words.join('-')) && ACKNOWLEDGED.has(normaliseStatus(word));
    if (isWrapperStatus && !belongsToJob(spot)) return [];
    const rank = nameRank(spot) + (belongsToJob(spot) ? 8 : 0);
    const meaning = meaningOfStatus(word);
    return [{ rank, value: { word, holder }, key: meaning?.state ?? 'running' }];
  });
  return bestOf(candidates) ?? (candidates.length > 0 ? 'torn' : undefined);
}

/** Whether a value is next to the job's id, or in a record that is called a job. */
const belongsToJob = ({ holder, ancestors }: Spot): boolean =>
  hasIdField(holder) || ancestors.some((words) => words.length <= 2 && hasAny(words, JOB_WORDS));

function nameRank({ words }: Spot): number {
  const stem = words.slice(0, -1);
  if (hasAny(stem, JOB_WORDS)) return 5;
  const [name] = words;
  if (words.length > 1) return 1;
  return name === 'status' ? 4 : name === 'state' ? 3 : 2;
}

/** Words that show that a number is not the progress. */
const OTHER_NUMBERS = new Set('ms s seconds time at url id step steps total count version left remaining'.split(' '));

/** Progress in percent, if exactly one value is best. */
export function findProgress(spots: readonly Spot[]): number | undefined {
  const candidates = spots.flatMap((spot) => {
    if (spot.isListed || isUnrelated(spot) || hasAny(spot.words, OTHER_NUMBERS) || hasAny(spot.words, UNRELATED_WORDS))
      return [];
    const isNamed = hasAny(spot.words, PROGRESS_WORDS);
    const isNestedValue = hasAny(spot.ancestors.at(-1) ?? [], PROGRESS_WORDS) && spot.words.join() === 'value';
    const progress = isNamed || isNestedValue ? boundedProgress(spot) : undefined;
    if (progress === undefined) return [];
    return [{ rank: spot.words.includes('progress') || isNestedValue ? 2 : 1, value: progress, key: String(progress) }];
  });
  return bestOf(candidates);
}

const MAX_NUMBER_LENGTH = 24;

function boundedProgress({ value, words }: Spot): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const text = String(value).trim();
  const number = text.length > MAX_NUMBER_LENGTH ? undefined : asNumber(text.endsWith('%') ? text.slice(0, -1) : text);
  if (number === undefined || number < 0 || number > 100) return undefined;
  const isFraction = words.includes('fraction') || words.includes('ratio');
  return isFraction && number <= 1 ? Number((number * 100).toPrecision(12)) : asProgress(value);
}
