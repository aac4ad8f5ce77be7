import type { WaitLimit } from '../tasks/kind.ts';
import type { Observation } from './histogram.ts';

/** How the learned schedule treats jobs with one wait limit. */
export interface Rhythm {
  /** So that an early end, by a failure for example, is soon noticed. The scheduler's jitter adds up to a twentieth. */
  longestGapMs: number;
  /** The share of the specification's polls that is used. */
  pollShare: number;
  /** What is assumed before any job is known. */
  assumed: readonly Observation[];
}

const QUANTILES = 20;
/** How exactly each assumed duration is known. */
const ACCURACY = 0.1;

/** Durations spread evenly over a log-logistic distribution. Its shape is a little more than half of a log-normal one's sigma. */
function logLogistic(medianMs: number, shape: number): Observation[] {
  return Array.from({ length: QUANTILES }, (_, place) => {
    const share = (place + 0.5) / QUANTILES;
    const ms = medianMs * (share / (1 - share)) ** shape;
    return { atLeastMs: ms * (1 - ACCURACY), atMostMs: ms * (1 + ACCURACY), weight: 1 };
  });
}

/** Most image jobs take between five seconds and a minute. More polls than this share hardly find their ends sooner. */
const images: Rhythm = { longestGapMs: 9_500, pollShare: 0.88, assumed: logLogistic(17_000, 0.6) };
/** What is learned is never quite right, so a little remains of the specification's polls. */
const others: Rhythm = { longestGapMs: 20_000, pollShare: 0.99, assumed: [] };

export const RHYTHMS: Readonly<Record<WaitLimit, Rhythm>> = {
  image: images,
  video: others,
  music: others,
  text: others,
};
