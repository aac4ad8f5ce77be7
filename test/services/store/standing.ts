import { type LeaseClock, leaseClock } from '../../../src/services/store/lease.ts';
import type { ManualClock } from '../../support/manual-clock.ts';

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

/** The clock of a process that renews and checks leases ten times as often as a bot, so that a test need not wait for that. */
export const eagerClock: LeaseClock = { now: leaseClock.now, after: (ms, task) => leaseClock.after(ms / 10, task) };

export const manualLeaseClock = (clock: ManualClock): LeaseClock => ({
  now: () => [clock.now()],
  after: (ms, task) => clock.after(ms, task),
});
