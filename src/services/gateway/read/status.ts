import type { Failure, SnapshotState } from './snapshot.ts';

export interface Standing {
  state: SnapshotState;
  cause?: Failure['cause'];
}

const WORDS: Record<SnapshotState | 'cancelled' | 'expired', string[]> = {
  queued: [
    '',
    'not_start',
    'not_started',
    'submitted',
    'submitting',
    'accepted',
    'queued',
    'queueing',
    'queuing',
    'in_queue',
    'pending',
    'created',
    'preparing',
    'waiting',
    'unknown',
  ],
  running: ['in_progress', 'processing', 'running', 'generating', 'streaming', 'started'],
  'needs-input': ['modal'],
  succeeded: ['success', 'succeed', 'succeeded', 'completed', 'complete', 'done', 'finished', 'ready'],
  failed: ['failure', 'failed', 'fail', 'error', 'rejected', 'timeout'],
  cancelled: ['cancel', 'canceled', 'cancelled'],
  expired: ['expired'],
};

const STANDINGS = new Map<string, Standing>(
  Object.entries(WORDS).flatMap(([meaning, words]) => words.map((word) => [word, standingFor(meaning)] as const)),
);

function standingFor(meaning: string): Standing {
  if (meaning === 'cancelled' || meaning === 'expired' || meaning === 'failed')
    return { state: 'failed', cause: meaning };
  return { state: meaning as SnapshotState };
}

/** undefined: a word nobody has told us. It means "still running", and a deadline elsewhere bounds the wait. */
export function standingOf(word: string): Standing | undefined {
  return STANDINGS.get(normalised(word));
}

export function normalised(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}
