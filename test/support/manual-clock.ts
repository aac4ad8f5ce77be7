import type { Clock } from '../../src/lib/clock.ts';

/** A clock that stands still until `advance` moves it, which runs all timers that come due along the way, in order. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { at: number; order: number; task: () => void }[] = [];
  #order = 0;

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const entry = { at: this.#now + Math.max(0, ms), order: this.#order++, task };
    this.#timers.push(entry);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== entry);
    };
  }

  /** Sets the time back, as when a machine's clock is corrected; pending timers keep their remaining time. */
  setBack(ms: number): void {
    this.#now -= ms;
    for (const entry of this.#timers) entry.at -= ms;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers
        .filter((entry) => entry.at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order)
        .at(0);
      if (!next) break;
      this.#timers = this.#timers.filter((entry) => entry !== next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
    }
    this.#now = end;
  }
}
