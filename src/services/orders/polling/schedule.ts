import { isFollowed, type Task } from '../../tasks/task.ts';
import { EARLY_MS } from './allowance.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** When to poll a task next. This is advice only: the scheduler's budget and the task's allowance take precedence. */
export type Schedule = (task: Task, now: number) => number;

/** The gap after the wait limit, when the result has not been fetched yet. */
const OVERDUE_GAP_MS = 30 * SECOND;
/** A task this old rarely ends, but only the gateway can say that it has. */
const OLD_MS = 60 * MINUTE;
const OLD_GAP_MS = 5 * MINUTE;

export const START_SPREAD_MS = 2.5 * SECOND;

export const taskAge = ({ times }: Task, now: number): number => now - (times.accepted ?? times.created);

/** The gap for a task past its wait limit; undefined for all others. */
export function overdueGap(task: Task, now: number): number | undefined {
  if (taskAge(task, now) > OLD_MS) return OLD_GAP_MS;
  return task.times.overdue === undefined ? undefined : OVERDUE_GAP_MS;
}

// The specification, 4.5: every 2 to 3 s for the first 30 s, then every 5 to 10 s.
const EARLY_GAP_MS = 2_500;
export const SPEC_GAP_MS = 7_500;
/** Ages with fewer jobs do not count, nor does the slow polling before them. */
export const RARE_SURVIVAL = 0.001;
const MAX_DURATION_MS = 3_600_000;

export const specSchedule: Schedule = (task, now) => {
  const gap = taskAge(task, now) < EARLY_MS && isFollowed(task) ? EARLY_GAP_MS : SPEC_GAP_MS;
  return now + (overdueGap(task, now) ?? gap);
};

/** How many polls the specification's schedule needs on average until the end is found; `survival` is the chance that a job lasts longer. */
export function specPollCount(survival: (ageMs: number) => number): number {
  let polls = 1;
  let age = 0;
  for (let surviving = survival(0); surviving > RARE_SURVIVAL && age < MAX_DURATION_MS; surviving = survival(age)) {
    polls += surviving;
    age += age < EARLY_MS ? EARLY_GAP_MS : SPEC_GAP_MS;
  }
  return polls;
}
