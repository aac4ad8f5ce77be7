import type { Clock } from '../../src/lib/clock.ts';

/** The clock looks at the real one at least this often while something waits for it. */
const MAX_WAIT_MS = 20;
/** More than this is never counted at once: the process was suspended or busy, and could not have acted in that time. */
const MAX_STEP_MS = 2 * MAX_WAIT_MS;

interface Timer {
  at: number;
  task: () => void;
}

/**
 * A clock that runs faster than the real one by the given factor and can be moved forward, so that tests do not have
 * to wait for minutes to pass. It slows down with its process, so that a busy machine exceeds no limit.
 */
export class FastClock implements Clock {
  readonly #speed: number;
  #time = Date.now();
  #lastSeen = performance.now();
  #isStopped = false;
  readonly #timers = new Set<Timer>();
  #wake: NodeJS.Timeout | undefined;

  constructor(speed = 30) {
    this.#speed = speed;
  }

  now(): number {
    const real = performance.now();
    if (!this.#isStopped) this.#time += Math.min(real - this.#lastSeen, MAX_STEP_MS) * this.#speed;
    this.#lastSeen = real;
    return Math.floor(this.#time);
  }

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.now() + ms, task };
    this.#timers.add(timer);
    this.#arm();
    return () => this.#timers.delete(timer);
  }

  /** From now on, time passes only through `advance`. */
  stop(): void {
    this.now();
    this.#isStopped = true;
  }

  /** Skips this much time; timers that have come due run next. */
  advance(ms: number): void {
    this.#time += ms;
    this.#arm();
  }

  /** Wakes up for the next timer, or to see that time has passed. */
  #arm(): void {
    clearTimeout(this.#wake);
    const next = Math.min(...[...this.#timers].map(({ at }) => at));
    const waitMs = (next - this.now()) / this.#speed;
    if (next === Number.POSITIVE_INFINITY || (this.#isStopped && waitMs > 0)) return;
    this.#wake = setTimeout(() => this.#run(), Math.min(Math.max(0, waitMs), MAX_WAIT_MS));
  }

  #run(): void {
    const now = this.now();
    const due = [...this.#timers].filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    for (const timer of due) setImmediate(() => this.#timers.delete(timer) && timer.task());
    setImmediate(() => this.#arm());
  }
}
