import { isFollowed, type Task } from '../tasks/task.ts';
import { EARLY_MS } from './allowance.ts';

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

// The specification, 4.5: every 2 to 3 s for the first 30 s, then every 5 to 10 s.
const EARLY_GAP_MS = 2_500;
export const SPEC_GAP_MS = 7_500;
/** What so few jobs reach does not count, nor does what is asked slowly long before. */
export const RARE = 0.001;
const LONGEST_MS = 3_600_000;

/** The middle of what the specification recommends, whatever is asked about. */
export const specSchedule: Schedule = {
  nextAt(task, now) {
    const gap = ageOf(task, now) < EARLY_MS && isFollowed(task) ? EARLY_GAP_MS : SPEC_GAP_MS;
    return now + (slowGap(task, now) ?? gap);
  },
};

/** How many questions that schedule asks of a job until its end is found, where `survival` says how likely it lasts longer than that. */
export function specQuestions(survival: (ageMs: number) => number): number {
  let questions = 1;
  let age = 0;
  for (let left = survival(0); left > RARE && age < LONGEST_MS; left = survival(age)) {
    questions += left;
    age += age < EARLY_MS ? EARLY_GAP_MS : SPEC_GAP_MS;
  }
  return questions;
}
