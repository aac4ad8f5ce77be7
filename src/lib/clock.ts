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
