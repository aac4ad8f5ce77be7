import { isRecord } from '../../lib/exact-json.ts';
import { parseJson, places } from '../gateway/read/places.ts';
import { findRecord, meaningOfStatus, readStatusWord } from '../gateway/read/record.ts';

const MAX_CHALLENGE_LENGTH = 200;
const STATUS_PLACES = places('task_status', 'status', 'state');

/**
 * What a callback's body says, as far as it determines whether to poll now. It is never stored or shown, and `end` is not proof of an end:
 * only a poll shows the state of a job.
 */
export type CallbackMeaning = { challenge: string } | 'progress' | 'end' | 'unclear';

/** `body` is undefined if it was too long, too slow or truncated. */
export function readCallback(body: string | undefined): CallbackMeaning {
  const json = body === undefined ? undefined : parseJson(body);
  if (!isRecord(json)) return 'unclear';
  const { challenge } = json;
  if (typeof challenge === 'string' && challenge.length <= MAX_CHALLENGE_LENGTH) return { challenge };
  const statusWord = readStatusWord(findRecord(json), STATUS_PLACES);
  switch (statusWord === undefined ? undefined : meaningOfStatus(statusWord)?.state) {
    case 'queued':
    case 'running':
      return 'progress';
    case 'succeeded':
    case 'failed':
      return 'end';
    default:
      // The other states include "needs a prompt", which a poll has to confirm.
      return 'unclear';
  }
}
