import type { Clock } from '../../lib/clock.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';

/** Node's timers take at most some 24 days; waking up early costs nothing. */
const LONGEST_SLEEP_MS = 60 * 60_000;

/** The display of one task: only its latest state counts, one is shown at a time, and the end overtakes the rest. */
export abstract class LatestNews {
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #ending = new AbortController();
  #news: Task | undefined;
  #isShowing = false;
  #work: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** When progress may be shown; undefined: not at all. */
  protected abstract mayShowAt(task: Task): number | undefined;
  protected abstract bring(task: Task): Promise<void>;
  /** A bug. The next state is shown all the same. */
  protected abstract failed(error: unknown): void;

  /** Aborted by the end, which must not wait for progress. */
  protected get ending(): AbortSignal {
    return this.#ending.signal;
  }

  show(task: Task): void {
    if (this.ending.aborted) return;
    if (hasEnded(task)) this.#ending.abort();
    this.#news = task;
    this.#wake();
  }

  drop(): void {
    this.#ending.abort();
    this.#news = undefined;
    this.#cancelTimer?.();
  }

  async finish(): Promise<void> {
    this.#cancelTimer?.();
    await this.#work;
  }

  #wake(): void {
    this.#cancelTimer?.();
    if (!this.#isShowing) this.#work = this.#showAll();
  }

  async #showAll(): Promise<void> {
    this.#isShowing = true;
    while (this.#news) {
      try {
        const task = this.#next();
        if (!task) break;
        await this.bring(task);
      } catch (error) {
        this.failed(error);
      }
    }
    this.#isShowing = false;
  }

  /** What may be shown now; a timer is set for a state that has to wait. */
  #next(): Task | undefined {
    const task = this.#news;
    this.#news = undefined;
    if (!task || this.#stopping.aborted) return undefined;
    const now = this.#clock.now();
    const at = hasEnded(task) ? now : this.mayShowAt(task);
    if (at === undefined || at <= now) return at === undefined ? undefined : task;
    this.#news = task;
    this.#cancelTimer = this.#clock.after(Math.min(at - now, LONGEST_SLEEP_MS), () => this.#wake());
    return undefined;
  }
}
