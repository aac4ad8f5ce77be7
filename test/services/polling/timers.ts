import type { Clock } from '../../../src/lib/clock.ts';

/** A clock that counts its pending timers. Several may share one base clock, each with its own timers. */
export class Timers implements Clock {
  readonly #clock: Clock;
  readonly #owed = new Set<{ at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get count(): number {
    return this.#owed.size;
  }

  get next(): number {
    return Math.min(...[...this.#owed].map(({ at }) => at));
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, task: () => void): () => void {
    const call = { at: this.now() + Math.max(0, ms) };
    this.#owed.add(call);
    const cancel = this.#clock.after(ms, () => {
      this.#owed.delete(call);
      task();
    });
    return () => {
      this.#owed.delete(call);
      cancel();
    };
  }
}
