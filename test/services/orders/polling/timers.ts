import type { Clock } from '../../../../src/lib/clock.ts';

/** A clock that counts its pending timers. Several may share one base clock, each with its own timers. */
export class CountingClock implements Clock {
  readonly #clock: Clock;
  readonly #pending = new Set<{ at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get count(): number {
    return this.#pending.size;
  }

  get next(): number {
    return Math.min(...[...this.#pending].map(({ at }) => at));
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.now() + Math.max(0, ms) };
    this.#pending.add(timer);
    const cancel = this.#clock.after(ms, () => {
      this.#pending.delete(timer);
      task();
    });
    return () => {
      this.#pending.delete(timer);
      cancel();
    };
  }
}
