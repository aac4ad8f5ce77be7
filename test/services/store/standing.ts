import type { LeaseClock } from '../../../src/services/store/lease.ts';

/** The clock of a suspended process: no timer runs, and time continues only when it wakes up. */
export class SuspendedClock implements LeaseClock {
  #sleptMs = 0;

  now(): readonly number[] {
    return [this.#sleptMs];
  }

  after(): () => void {
    return () => undefined;
  }

  wake(sleptMs: number): void {
    this.#sleptMs += sleptMs;
  }
}
