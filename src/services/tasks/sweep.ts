import { DAY_MS, repeat } from '../../lib/clock.ts';
import { dropExpiredToken } from './delivery-state.ts';
import type { WaitLimit } from './kind.ts';
import type { OrdersParts } from './orders-parts.ts';
import { markResultsRefused } from './review.ts';
import { hasEnded, isFollowed, type Task } from './task.ts';
import { markGivenUp, markOverdue } from './transitions.ts';

/** A notice about a long wait may be a few seconds late. */
const SWEEP_INTERVAL_MS = 5_000;

interface SweepParts extends Pick<OrdersParts, 'book' | 'clock' | 'log' | 'maxWaitMs'> {
  waitLimitOf(task: Task): WaitLimit;
  isPolled(task: Task): boolean;
}

/** Otherwise a gateway that never ends a job would have it polled for ever, and an erasure would wait for ever. */
const MAX_FOLLOW_MS = 30 * DAY_MS;

/**
 * Applies changes that depend only on time, whether or not the gateway responds: wait limits, expired tokens and results that were held
 * for too long.
 */
export class Sweep {
  readonly #parts: SweepParts;
  #stop: (() => Promise<void>) | undefined;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#stop = repeat(this.#parts.clock, () => this.#sweep(), SWEEP_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    await this.#stop?.();
  }

  async #sweep(): Promise<number> {
    const { book, clock, log } = this.#parts;
    await book.saveUnsaved();
    const now = clock.now();
    const isDue = (task: Task) =>
      this.#isEndless(task, now) ||
      this.#isOverdue(task, now) ||
      isHeldTooLong(task, now) ||
      dropExpiredToken(task, now) !== task;
    for (const { id } of book.live(isDue)) {
      try {
        await book.change(id, (task) => {
          if (this.#isEndless(task, now)) return markGivenUp(task, now);
          const reviewedTask = isHeldTooLong(task, now)
            ? markResultsRefused(task, { ...task.review, at: now }, 'refusals.rules.resultUndecided')
            : task;
          return dropExpiredToken(
            this.#isOverdue(reviewedTask, now) ? markOverdue(reviewedTask, now) : reviewedTask,
            now,
          );
        });
      } catch (error) {
        log.error({ task: id, err: error }, 'A wait limit or an expired token could not be stored.');
      }
    }
    return SWEEP_INTERVAL_MS;
  }

  #isEndless(task: Task, now: number): boolean {
    const { accepted = now } = task.times;
    return isFollowed(task) && now - accepted >= MAX_FOLLOW_MS && this.#parts.isPolled(task);
  }

  #isOverdue(task: Task, now: number): boolean {
    const { maxWaitMs, waitLimitOf } = this.#parts;
    if (hasEnded(task) || task.state === 'waiting' || task.traits.isTalk || task.times.overdue !== undefined)
      return false;
    return now - (task.times.turn ?? task.times.created) >= maxWaitMs[waitLimitOf(task)];
  }
}

/** How long results are held if no moderator decides about them. */
const HOLD_MS = 7 * DAY_MS;

const isHeldTooLong = ({ review }: Task, now: number): boolean =>
  review?.outcome === 'held' && now - review.at >= HOLD_MS;
