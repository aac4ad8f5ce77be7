/** The source of time. Tests inject one that they advance, so nothing sleeps. */
export interface Clock {
  now(): number;
  /** Calls `task` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/** A clock that never goes back, so timers are not delayed if the machine's clock is set back. */
export class SteadyClock implements Clock {
  readonly #clock: Clock;
  #latest = Number.NEGATIVE_INFINITY;
  /** The total time by which the machine's clock has been set back. */
  #offsetMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    const now = this.#clock.now() + this.#offsetMs;
    if (now < this.#latest) this.#offsetMs += this.#latest - now;
    this.#latest = Math.max(this.#latest, now);
    return this.#latest;
  }

  /** A wait needs no correction. */
  after(ms: number, task: () => void): () => void {
    return this.#clock.after(ms, task);
  }

  /** Converts a time of the machine's clock to this clock. */
  fromMachine(moment: number): number {
    this.now();
    return moment + this.#offsetMs;
  }

  /** Converts a time of this clock to the machine's clock. */
  toMachine(moment: number): number {
    this.now();
    return moment - this.#offsetMs;
  }
}

/** A timer that is cancelled at the end of the block in which it is declared by `using`. */
export const timerFor = (clock: Pick<Clock, 'after'>, ms: number, task: () => void): Disposable => ({
  [Symbol.dispose]: clock.after(ms, task),
});

/** Waits for some time. An abort ends the wait early without an error; the caller checks the signal. */
export function pause(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

/** `setTimeout` fires immediately if the wait is longer than this. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** One timer for everything. It may fire too early, never too late: the callback checks the clock and sets it again. */
export class Alarm {
  readonly #clock: Clock;
  readonly #onAlarm: () => void;
  #time = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onAlarm: () => void) {
    this.#clock = clock;
    this.#onAlarm = onAlarm;
  }

  set(time: number): void {
    if (time >= this.#time) return;
    this.cancel();
    this.#time = time;
    this.#cancel = this.#clock.after(Math.min(MAX_WAIT_MS, Math.max(0, time - this.#clock.now())), () => {
      this.#time = Number.POSITIVE_INFINITY;
      this.#cancel = undefined;
      this.#onAlarm();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#time = Number.POSITIVE_INFINITY;
  }
}

/** Undefined if the work takes longer; a later result or failure is ignored. */
export async function withTimeout<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  using _timer = timerFor(clock, ms, () => timeout.resolve(undefined));
  return await Promise.race([work, timeout.promise]);
}

/** Whether the work is done in time; a later failure is ignored. */
export const isDoneWithin = async (clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> =>
  (await withTimeout(
    clock,
    ms,
    work.then(() => true),
  )) ?? false;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Later years have more than four digits, so days would no longer sort as text. */
const LAST_DAY = Date.UTC(9999, 11, 31);

/** `YYYY-MM-DD` in UTC, as in all reports. Accepts an invalid time too, because a stored row may contain one. */
export const dayOf = (time: number): string =>
  new Date(Math.min(Math.max(time, 0), LAST_DAY)).toISOString().slice(0, 10);
