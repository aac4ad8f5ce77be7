import type { Clock } from '../../lib/clock.ts';
import type { TasksLog } from '../tasks/book.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';

// The specification's fastest schedule (4.5): every 2 s for the first 30 s, then every 5 s.
export const LEAST_GAP_MS = 2_000;
export const EARLY_MS = 30_000;
const LATE_GAP_MS = 5_000;
/** From its first question, right after the submit, to the end of the first 30 s. */
const EARLY_QUESTIONS = EARLY_MS / LEAST_GAP_MS + 1;

/** What has been asked about one task. */
export interface Asked {
  /** When the gateway took it. */
  since: number;
  times: number;
  /** When the last question was asked or, where it is known, answered. */
  last: number;
}

/** How often the specification's fastest schedule would have asked about a task of that age. */
export function mostAsked(ageMs: number): number {
  if (ageMs < 0) return 0;
  if (ageMs <= EARLY_MS) return Math.floor(ageMs / LEAST_GAP_MS) + 1;
  return EARLY_QUESTIONS + Math.floor((ageMs - EARLY_MS) / LATE_GAP_MS);
}

/** At what age that schedule asks for the time after so many. */
export function ageOfNext(times: number): number {
  if (times < EARLY_QUESTIONS) return times * LEAST_GAP_MS;
  return EARLY_MS + (times - EARLY_QUESTIONS + 1) * LATE_GAP_MS;
}

/**
 * The earliest moment for the next question. Whatever wants one sooner waits: at any age of a task it has been asked about at most as often
 * as that schedule would have asked, and no two questions are closer than its least gap. What was not asked early on may be asked later.
 */
export function earliest({ since, times, last }: Asked): number {
  return Math.max(since + ageOfNext(times), last + LEAST_GAP_MS);
}

/** The mark is as old as that at most while questions are asked: finer would be a write for every question. */
const MARK_MS = 1_000;
/** A question that was under way when the bot ended is heard at the gateway so much later. */
const UNDER_WAY_MS = 1_000;

interface BeforeParts {
  store: Pick<TaskStore, 'askingUntil' | 'noteAsking'>;
  clock: Clock;
  log: TasksLog;
}

/**
 * What was asked before this start. An answer that brings no news is not stored, so of each task the most is assumed that its allowance
 * let be asked until the mark, and that the last question was asked then.
 */
export class Before {
  readonly #parts: BeforeParts;
  #markedAt = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(parts: BeforeParts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    const mark = await this.#parts.store.askingUntil();
    // Since the store is ours nobody else has asked.
    if (mark !== undefined) this.#last = Math.min(mark + MARK_MS + UNDER_WAY_MS, this.#parts.clock.now());
  }

  askedAbout({ polls, times }: Task): Asked {
    // A clock that was set back has made the task younger than it is.
    const since = Math.min(times.accepted ?? times.created, this.#parts.clock.now());
    return { since, times: Math.max(polls, mostAsked(this.#last - since)), last: this.#last };
  }

  /** Questions are about to be asked. */
  async mark(): Promise<void> {
    const { store, clock, log } = this.#parts;
    const now = clock.now();
    if (Math.abs(now - this.#markedAt) < MARK_MS) return;
    this.#markedAt = now;
    try {
      await store.noteAsking(now);
    } catch (error) {
      log.warn({ err: error }, 'Until when the gateway was asked could not be stored.');
    }
  }
}
