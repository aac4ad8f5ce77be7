import type { Clock } from '../../lib/clock.ts';

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
