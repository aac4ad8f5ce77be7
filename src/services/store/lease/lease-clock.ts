import { systemClock } from '../../../lib/clock.ts';

/** Several clocks at once, for no single one can be trusted with a lease. */
export interface LeaseClock {
  now(): readonly number[];
  after(ms: number, task: () => void): () => void;
}

/**
 * The one that is never set back, and the one on the wall: where a machine is suspended, the first stands still meanwhile, and the second can be
 * set back. Whichever says first that a lease is over is believed.
 */
export const leaseClock: LeaseClock = {
  now: () => [performance.now(), Date.now()],
  after: systemClock.after,
};
