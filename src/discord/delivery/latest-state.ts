import type { Clock } from '../../lib/clock.ts';
import { isShowable, type Task } from '../../services/tasks/task.ts';

/** Node's timers accept at most about 24 days, and waking up early costs nothing. */
const MAX_SLEEP_MS = 60 * 60_000;

/** One for all, because each new one would hold a stack. */
const HAS_ENDED = new Error('The task has ended.');

/** Shows the states of one task, one at a time. Only the latest state counts, and the end overtakes all others. */
export abstract class LatestState {
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #endController = new AbortController();
  #pendingTask: Task | undefined;
  #isShowing = false;
  #work: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** When progress can be shown; undefined if never. */
  protected abstract nextShowAt(task: Task): number | undefined;
  protected abstract deliver(task: Task): Promise<void>;
  /** Called after a bug. The next state is shown anyway. */
  protected abstract logFailure(error: unknown): void;

  /** Aborted when the task ends, because showing the end must not wait for progress. */
  protected get endSignal(): AbortSignal {
    return this.#endController.signal;
  }

  show(task: Task): void {
    if (this.endSignal.aborted) return;
    if (isShowable(task)) this.#endController.abort(HAS_ENDED);
    this.#pendingTask = task;
    this.#wake();
  }

  drop(): void {
    this.#endController.abort();
    this.#pendingTask = undefined;
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
    while (this.#pendingTask) {
      try {
        const task = this.#next();
        if (!task) break;
        await this.deliver(task);
      } catch (error) {
        this.logFailure(error);
      }
    }
    this.#isShowing = false;
  }

  /** Returns the state that can be shown now, and sets a timer for a state that has to wait. */
  #next(): Task | undefined {
    const task = this.#pendingTask;
    this.#pendingTask = undefined;
    if (!task || this.#stopping.aborted) return undefined;
    const now = this.#clock.now();
    const showAt = isShowable(task) ? now : this.nextShowAt(task);
    if (showAt === undefined || showAt <= now) return showAt === undefined ? undefined : task;
    this.#pendingTask = task;
    this.#cancelTimer = this.#clock.after(Math.min(showAt - now, MAX_SLEEP_MS), () => this.#wake());
    return undefined;
  }
}
