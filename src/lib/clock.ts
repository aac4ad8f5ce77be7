/** Time as the code sees it. Tests hand in one that moves only when told to, so nothing sleeps. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `task` once after `ms` milliseconds. The returned function takes the call back. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/** A clock that is never set back: a machine's clock can be, and whatever was due in a minute would be due in an hour and a minute. */
export class SteadyClock implements Clock {
  readonly #clock: Clock;
  #latest = Number.NEGATIVE_INFINITY;
  /** How far the machine's clock has been set back in all. */
  #setBack = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    const now = this.#clock.now() + this.#setBack;
    if (now < this.#latest) this.#setBack += this.#latest - now;
    this.#latest = Math.max(this.#latest, now);
    return this.#latest;
  }

  after(ms: number, task: () => void): () => void {
    return this.#clock.after(ms, task);
  }

  /** A moment of the machine's clock in this clock's time. */
  steady(moment: number): number {
    this.now();
    return moment + this.#setBack;
  }

  /** A moment of this clock as the machine's clock tells it now. */
  told(moment: number): number {
    this.now();
    return moment - this.#setBack;
  }
}

/** Waits by the clock; an abort ends the wait early, and the caller's next look at the signal tells why. */
export function pause(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener('abort', end);
  });
}

/** undefined where it takes longer; what comes later is nobody's business any more, nor is its failure. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

export const DAY_MS = 24 * 3_600_000;
/** Beyond it a year has more than four digits, and days no longer sort as text. */
const LAST_DAY = Date.UTC(9999, 11, 31);

/** `YYYY-MM-DD`, in UTC as everywhere in reports. Also of a time that makes no sense, for a stored row may hold one. */
export const dayOf = (at: number): string => new Date(Math.min(Math.max(at, 0), LAST_DAY)).toISOString().slice(0, 10);
