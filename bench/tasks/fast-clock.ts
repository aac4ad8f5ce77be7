import type { Clock } from '../../src/lib/clock.ts';

/** A clock that goes so many times as fast as the machine's. Processes that share its origin share its time. */
export function fastClock(speed: number, origin = Date.now()): Clock {
  return {
    now: () => Math.floor(origin + (Date.now() - origin) * speed),
    after(ms, task) {
      const timer = setTimeout(task, ms / speed);
      return () => clearTimeout(timer);
    },
  };
}
