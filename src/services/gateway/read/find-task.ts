import { malformedError } from '../errors.ts';
import { findRecord, hasId, hasState, normaliseStatus, readStatusWord } from '../record.ts';
import { mediumPlaces } from './media.ts';
import { findJobId } from './search/job-id.ts';
import { isUnrelated } from './search/names.ts';
import { respell, spellingsIn } from './search/respell.ts';
import { findState } from './search/state.ts';
import type { Spot } from './search/survey.ts';
import { ACKNOWLEDGED } from './search/words.ts';
import { buttonPlaces, type Family, seedPlaces, submissionPlaces, tables, timePlaces } from './table.ts';
import { trackPlaces } from './tracks.ts';

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

const knownPlaces = [tables, mediumPlaces, trackPlaces, buttonPlaces, submissionPlaces, timePlaces, seedPlaces];
const spellings = spellingsIn(knownPlaces);

/** The same record, with its fields spelled as in the tables. */
export const withKnownNames = (record: Record<string, unknown>): Record<string, unknown> => respell(record, spellings);
