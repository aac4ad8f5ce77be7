import type { WaitLimit } from '../tasks/kind.ts';
import type { Observation } from './histogram.ts';

/** Parameters of the learned schedule for jobs with one wait limit. */
export interface PollingProfile {
  /** Short enough to notice an early end, for example by a failure, soon. The scheduler's jitter adds up to a twentieth. */
  longestGapMs: number;
  /** The share of the specification's polls that is used. */
  pollShare: number;
  /** The distribution that is assumed before any job is known. */
  assumed: readonly Observation[];
}

const QUANTILE_COUNT = 20;
/** The standard deviation of each assumed duration. */
const RELATIVE_DEVIATION = 0.1;

/** Durations spread evenly over a log-logistic distribution. Its shape is a little more than half of a log-normal one's sigma. */
function logLogistic(medianMs: number, shape: number): Observation[] {
  return Array.from({ length: QUANTILE_COUNT }, (_, index) => {
    const share = (index + 0.5) / QUANTILE_COUNT;
    const ms = medianMs * (share / (1 - share)) ** shape;
    return { atLeastMs: ms * (1 - RELATIVE_DEVIATION), atMostMs: ms * (1 + RELATIVE_DEVIATION), weight: 1 };
  });
}

/** Most image jobs take between five seconds and a minute. More polls than this would hardly find their ends sooner. */
const imageProfile: PollingProfile = { longestGapMs: 9_500, pollShare: 0.88, assumed: logLogistic(17_000, 0.6) };
/** Learned durations are never quite right, so a small share of the specification's polls is kept. */
const defaultProfile: PollingProfile = { longestGapMs: 20_000, pollShare: 0.99, assumed: [] };

export const POLLING_PROFILES: Readonly<Record<WaitLimit, PollingProfile>> = {
  image: imageProfile,
  video: defaultProfile,
  music: defaultProfile,
  text: defaultProfile,
};
