import type { LeaseClock } from '../../../src/services/store/lease.ts';

/** The clock of a suspended process: no timer runs, and time continues only when it wakes up. */
export class SuspendedClock implements LeaseClock {
  #asleepMs = 0;

  now(): readonly number[] {
    return [this.#asleepMs];
  }

  after(): () => void {
    return () => undefined;
  }

  wake(asleepMs: number): void {
    this.#asleepMs += asleepMs;
  }
}
