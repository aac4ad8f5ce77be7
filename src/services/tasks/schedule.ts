import { isFollowed, type Task } from './task.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

// The specification, 4.5: every 2 to 3 s for the first 30 s, then every 5 to 10 s; past the longest wait, more slowly.
const EARLY_MS = 30 * SECOND;
const EARLY_GAP_MS = 2.5 * SECOND;
const GAP_MS = 7.5 * SECOND;
const OVERDUE_GAP_MS = 30 * SECOND;
/** What has not ended for so long is seldom about to, and yet only the gateway can say that it has. */
const OLD_MS = 60 * MINUTE;
const OLD_GAP_MS = 5 * MINUTE;

/** Over so long a time the questions of a start are spread: one gap, as if each task had just been asked about. */
export const SPREAD_MS = EARLY_GAP_MS;

/** When to ask about a task next, counted from now. */
export function gapFor(task: Task, now: number): number {
  const age = now - (task.times.accepted ?? task.times.created);
  if (age > OLD_MS) return OLD_GAP_MS;
  if (task.times.overdue !== undefined) return OVERDUE_GAP_MS;
  return age < EARLY_MS && isFollowed(task) ? EARLY_GAP_MS : GAP_MS;
}
