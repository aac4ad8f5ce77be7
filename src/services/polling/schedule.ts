import type { Task } from '../tasks/task.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** When to ask about a task next. What it says is only advice: the scheduler's budget and its allowance have the last word. */
export interface Schedule {
  nextAt(task: Task, now: number): number;
}

/** Past the longest wait nobody looks any more, but the result is still to be fetched. */
const OVERDUE_GAP_MS = 30 * SECOND;
/** What has not ended for so long is seldom about to, and yet only the gateway can say that it has. */
const OLD_MS = 60 * MINUTE;
const OLD_GAP_MS = 5 * MINUTE;

/** Over so long a time the questions of a start are spread, as if each task had just been asked about. */
export const SPREAD_MS = 2.5 * SECOND;

export function ageOf({ times }: Task, now: number): number {
  return now - (times.accepted ?? times.created);
}

/** The gap for a task that takes longer than anybody waits; undefined for all others. */
export function slowGap(task: Task, now: number): number | undefined {
  if (ageOf(task, now) > OLD_MS) return OLD_GAP_MS;
  return task.times.overdue === undefined ? undefined : OVERDUE_GAP_MS;
}
