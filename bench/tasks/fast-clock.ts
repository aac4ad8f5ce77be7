import type { Clock } from '../../src/lib/clock.ts';

/** A clock that runs this many times as fast as the machine's. Processes that use the same origin see the same time. */
export function fastClock(speed: number, origin = Date.now()): Clock {
  return {
    now: () => Math.floor(origin + (Date.now() - origin) * speed),
    after(ms, task) {
      const timer = setTimeout(task, ms / speed);
      return () => clearTimeout(timer);
    },
  };
}
