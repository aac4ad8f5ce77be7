import type { Clock } from '../../../lib/clock.ts';
import type { Task } from '../../tasks/task.ts';
import type { TasksLog } from '../book.ts';
import type { PollStore } from '../task-store.ts';

// The specification's fastest schedule (4.5): every 2 s for the first 30 s, then every 5 s.
export const MIN_GAP_MS = 2_000;
export const EARLY_MS = 30_000;
const LATE_GAP_MS = 5_000;
/** From the first poll, right after the submit, to the end of the first 30 s. */
const EARLY_POLLS = EARLY_MS / MIN_GAP_MS + 1;

export interface PollHistory {
  since: number;
  pollCount: number;
  /** When the last poll was sent or, if known, responded to. */
  lastPollAt: number;
}

/** How many polls the specification's fastest schedule would have made by that age. */
export function maxPolls(ageMs: number): number {
  if (ageMs < 0) return 0;
  if (ageMs <= EARLY_MS) return Math.floor(ageMs / MIN_GAP_MS) + 1;
  return EARLY_POLLS + Math.floor((ageMs - EARLY_MS) / LATE_GAP_MS);
}

/** The age at which that schedule makes the next poll after this many. */
export function ageOfNextPoll(pollCount: number): number {
  if (pollCount < EARLY_POLLS) return pollCount * MIN_GAP_MS;
  return EARLY_MS + (pollCount - EARLY_POLLS + 1) * LATE_GAP_MS;
}

/** When a task can be polled next: at no age more often than that schedule, and never closer than its smallest gap. Missed polls can be made up later. */
export const earliestPollAt = ({ since, pollCount, lastPollAt }: PollHistory): number =>
  Math.max(since + ageOfNextPoll(pollCount), lastPollAt + MIN_GAP_MS);

/** How old the stored time can be while polls are made: a more precise one would cost a write per poll. */
const MARK_INTERVAL_MS = 1_000;
/** A poll that was in flight when the bot ended can reach the gateway this much later. */
const IN_FLIGHT_MS = 1_000;

export type EarlierPolls = ReturnType<typeof createEarlierPolls>;

/** The polls before this start. Responses without changes are not stored, so each task is assumed to have used its allowance up to the stored time. */
export function createEarlierPolls({ polling }: PollStore, clock: Clock, log: TasksLog) {
  let markedAt = Number.NEGATIVE_INFINITY;
  let lastPollAt = Number.NEGATIVE_INFINITY;
  return {
    async open(): Promise<void> {
      const lastPoll = await polling.read();
      // Since the bot took the store over, no other bot has polled.
      if (lastPoll) lastPollAt = Math.min(lastPoll.at + MARK_INTERVAL_MS + IN_FLIGHT_MS, clock.now());
    },

    historyOf({ polls, times }: Task): PollHistory {
      // If the clock was set back, the stored time may be in the future.
      const since = Math.min(times.accepted ?? times.created, clock.now());
      return { since, pollCount: Math.max(polls, maxPolls(lastPollAt - since)), lastPollAt };
    },

    /** Call this before each poll. */
    async markPoll(): Promise<void> {
      const now = clock.now();
      if (Math.abs(now - markedAt) < MARK_INTERVAL_MS) return;
      markedAt = now;
      try {
        await polling.write({ at: now });
      } catch (error) {
        log.warn({ err: error }, 'The time of the last poll could not be stored.');
      }
    },
  };
}
