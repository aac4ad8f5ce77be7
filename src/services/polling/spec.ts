import { isFollowed } from '../tasks/task.ts';
import { ageOf, type Schedule, slowGap } from './schedule.ts';

// The specification, 4.5: every 2 to 3 s for the first 30 s, then every 5 to 10 s.
const EARLY_MS = 30_000;
const EARLY_GAP_MS = 2_500;
const GAP_MS = 7_500;

/** The middle of what the specification recommends, whatever is asked about. */
export const specSchedule: Schedule = {
  nextAt(task, now) {
    const gap = ageOf(task, now) < EARLY_MS && isFollowed(task) ? EARLY_GAP_MS : GAP_MS;
    return now + (slowGap(task, now) ?? gap);
  },
};

/** How many questions that schedule asks of a job until its end is found, where `survival` says how likely it lasts longer than that. */
export function specQuestions(survival: (ageMs: number) => number): number {
  let questions = 1;
  let age = 0;
  for (let left = survival(0); left > RARE && age < LONGEST_MS; left = survival(age)) {
    questions += left;
    age += age < EARLY_MS ? EARLY_GAP_MS : GAP_MS;
  }
  return questions;
}

/** What so few jobs reach does not count, nor does what is asked slowly long before. */
const RARE = 0.001;
const LONGEST_MS = 3_600_000;
