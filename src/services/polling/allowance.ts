// The specification's fastest schedule (4.5): every 2 s for the first 30 s, then every 5 s.
export const LEAST_GAP_MS = 2_000;
const EARLY_MS = 30_000;
const LATE_GAP_MS = 5_000;
/** From its first question, right after the submit, to the end of the first 30 s. */
const EARLY_QUESTIONS = EARLY_MS / LEAST_GAP_MS + 1;

/** What has been asked about one task. */
export interface Asked {
  /** When the gateway took it. */
  since: number;
  times: number;
  /** When the last question was asked or, where it is known, answered. */
  last: number;
}

/** How often the specification's fastest schedule would have asked about a task of that age. */
export function mostAsked(ageMs: number): number {
  if (ageMs < 0) return 0;
  if (ageMs <= EARLY_MS) return Math.floor(ageMs / LEAST_GAP_MS) + 1;
  return EARLY_QUESTIONS + Math.floor((ageMs - EARLY_MS) / LATE_GAP_MS);
}

/** At what age that schedule asks for the time after so many. */
export function ageOfNext(times: number): number {
  if (times < EARLY_QUESTIONS) return times * LEAST_GAP_MS;
  return EARLY_MS + (times - EARLY_QUESTIONS + 1) * LATE_GAP_MS;
}

/**
 * The earliest moment for the next question. Whatever wants one sooner waits: at any age of a task it has been asked about at most as often
 * as that schedule would have asked, and no two questions are closer than its least gap. What was not asked early on may be asked later.
 */
export function earliest({ since, times, last }: Asked): number {
  return Math.max(since + ageOfNext(times), last + LEAST_GAP_MS);
}
