import type { GatewayError, GatewayErrorKind } from '../gateway/index.ts';
import type { Trouble } from '../polling/scheduler.ts';

/** What a failed question means: the gateway does not know the task, or nothing for this task alone, or trouble for all. */
type Meaning = 'not-known' | 'nothing' | Trouble['kind'];

const MEANINGS: Readonly<Record<GatewayErrorKind, Meaning>> = {
  'not-found': 'not-known',
  // An answer that makes no sense may be this one task's: it waits for its next turn, and the others are not held up.
  malformed: 'nothing',
  invalid: 'nothing',
  'rate-limited': 'busy',
  unauthorized: 'refused',
  quota: 'refused',
  forbidden: 'refused',
  'not-offered': 'refused',
  unavailable: 'unreachable',
  unreachable: 'unreachable',
};

export function meaningOf(error: GatewayError): 'not-known' | 'nothing' | Trouble {
  const meaning = MEANINGS[error.kind];
  if (meaning === 'not-known' || meaning === 'nothing') return meaning;
  return { kind: meaning, retryAfterMs: error.retryAfterMs, reason: error.message };
}
