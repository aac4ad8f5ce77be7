import type { Clock } from '../../lib/clock.ts';

/** `setTimeout` takes no longer wait: it would ring at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** One timer for everything. It may ring too early, never too late: whoever hears it looks at the clock and sets it again. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at that moment or, where it was set to an earlier one, then. */
  set(at: number): void {
    if (at >= this.#at) return;
    this.cancel();
    this.#at = at;
    this.#cancel = this.#clock.after(Math.min(LONGEST_WAIT_MS, Math.max(0, at - this.#clock.now())), () => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#cancel = undefined;
      this.#ring();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }
}
