import { setTimeout as pause } from 'node:timers/promises';

/** Short compared with everything that the tests wait for. */
const CHECK_INTERVAL_MS = 5;

/** Returns whether the condition became true in time. */
export async function waitUntil(ms: number, condition: () => boolean, everyMs = CHECK_INTERVAL_MS): Promise<boolean> {
  const end = Date.now() + ms;
  while (!condition()) {
    if (Date.now() >= end) return false;
    await pause(everyMs);
  }
  return true;
}
