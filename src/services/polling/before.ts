import type { Clock } from '../../lib/clock.ts';
import type { TasksLog } from '../tasks/book.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { type Asked, mostAsked } from './allowance.ts';

/** The mark is as old as that at most while questions are asked: finer would be a write for every question. */
const MARK_MS = 1_000;

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
    if (mark !== undefined) this.#last = Math.min(mark + MARK_MS, this.#parts.clock.now());
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
