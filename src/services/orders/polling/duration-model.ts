import type { WaitLimit } from '../../tasks/kind.ts';
import { ageOfNextPoll, MIN_GAP_MS } from './allowance.ts';
import { ageAt, BIN_EDGES, binWidth, emptyBins, type Observation, valueAt } from './histogram.ts';
import { RARE_SURVIVAL, SPEC_GAP_MS, specPollCount } from './schedule.ts';

const MAX_THINNED_GAP_MS = 60_000;
/** Past the age by which this share of jobs has ended, the smallest gaps grow by a tenth of the time since then, up to the specification's. */
const KNOWN_SHARE = 0.99;
const OVERTIME_GROWTH = 0.1;
const MIN_SURVIVAL = 1e-9;
/** Enough halvings to find the density of polls to within a thousandth. */
const BISECTION_STEPS = 14;
/** Polls per unit of worth. Below this range, hardly any poll is made; above it, every gap is the smallest. */
const MIN_DENSITY = 0.001;
const MAX_DENSITY = 0.2;
const MAX_POLLS = 400;
/** If every end is called back, what remains is the first poll, the one that the callback causes, and this many in between. */
const MIN_POLLS_BETWEEN = 0.4;
const FIRST_AND_LAST_POLLS = 2;
/** With callbacks, gaps may be longer than in any schedule without them. */
const MAX_STRETCH_FACTOR = 20;
const MAX_SPARSE_GAP_MS = 180_000;

/**
 * How long jobs take, and where polls are worth most: their density over the age is proportional to the square root of the hazard, the chance that
 * a job ends now if it has not ended before (Keller 1974). The overall density is chosen so that a job needs no more polls than on the
 * specification's schedule.
 */
export class DurationModel {
  /** At each edge of the grid: the chance that a job has ended. */
  readonly #endedShare = new Float64Array(BIN_EDGES.length);
  /** At each edge: the integral of the hazard's square root. */
  readonly #cumulativeWorth = new Float64Array(BIN_EDGES.length);
  /** Past this age there is hardly any data. */
  readonly #knownUntil: number;
  readonly #density: number;
  readonly #longestGapMs: number;
  readonly #pollsPerJob: number;
  /** Densities of sparser polls, by the share that remains. */
  readonly #sparseDensities = new Map<number, number>();

  constructor(masses: Float64Array, { longestGapMs, pollShare }: Omit<PollingProfile, 'assumed' | 'unitMs'>) {
    this.#longestGapMs = longestGapMs;
    let surviving = 1;
    for (const bin of emptyBins().keys()) {
      const survivingAfter = Math.max(MIN_SURVIVAL, surviving - (masses[bin] ?? 0));
      const hazard = Math.log(surviving / survivingAfter) / binWidth(bin);
      this.#cumulativeWorth[bin + 1] =
        (this.#cumulativeWorth[bin] ?? 0) + Math.sqrt(Math.max(0, hazard)) * binWidth(bin);
      this.#endedShare[bin + 1] = 1 - survivingAfter;
      surviving = survivingAfter;
    }
    this.#knownUntil = ageAt(this.#endedShare, KNOWN_SHARE);
    this.#pollsPerJob = pollShare * specPollCount((age) => this.survival(age));
    this.#density = this.#affordableDensity(this.#pollsPerJob, longestGapMs);
  }

  survival(age: number): number {
    return 1 - valueAt(this.#endedShare, age);
  }

  /** The age by which half of the jobs that reach this age have ended. */
  medianFrom(age: number): number {
    return ageAt(this.#endedShare, 1 - this.survival(age) / 2);
  }

  /**
   * The age for the next poll. Under pressure one limit bounds the density of all models, so the polls worth least are dropped first, whichever job
   * they are for. The limit starts at the highest density, far above that of most models, so it falls with the square of the pressure.
   * `share` is the part of the job's polls that remains if a callback will probably report its end.
   */
  nextAge(age: number, pressure = 1, share = 1): number {
    return this.#nextAgeAt(age, this.#densityAt(pressure, share), this.longestGapMs(pressure, share));
  }

  longestGapMs(pressure = 1, share = 1): number {
    const usualGapMs = this.#longestGapOf(share);
    const thinnedGapMs = (usualGapMs * this.#densityOf(share)) / this.#densityAt(pressure, share);
    return Math.min(Math.max(MAX_THINNED_GAP_MS, usualGapMs), thinnedGapMs);
  }

  #longestGapOf(share: number): number {
    return share >= 1
      ? this.#longestGapMs
      : Math.min(MAX_SPARSE_GAP_MS, this.#longestGapMs / Math.max(share, 1 / MAX_STRETCH_FACTOR));
  }

  #densityAt(pressure: number, share: number): number {
    return Math.min(this.#densityOf(share), MAX_DENSITY / pressure ** 2);
  }

  #densityOf(share: number): number {
    if (share >= 1) return this.#density;
    const cachedDensity = this.#sparseDensities.get(share);
    if (cachedDensity !== undefined) return cachedDensity;
    const pollsBetween = Math.max(MIN_POLLS_BETWEEN, share * (this.#pollsPerJob - FIRST_AND_LAST_POLLS));
    const density = Math.min(
      this.#density,
      this.#affordableDensity(FIRST_AND_LAST_POLLS + pollsBetween, this.#longestGapOf(share)),
    );
    this.#sparseDensities.set(share, density);
    return density;
  }

  #nextAgeAt(age: number, density: number, longestGap: number): number {
    const next = ageAt(this.#cumulativeWorth, valueAt(this.#cumulativeWorth, age) + 1 / density);
    const minGap = Math.max(MIN_GAP_MS, Math.min(SPEC_GAP_MS, OVERTIME_GROWTH * (age - this.#knownUntil)));
    return Math.min(age + longestGap, Math.max(age + minGap, next));
  }

  #affordableDensity(polls: number, longestGapMs: number): number {
    let [low, high] = [Math.log(MIN_DENSITY), Math.log(MAX_DENSITY)];
    for (let step = 0; step < BISECTION_STEPS; step += 1) {
      const middle = (low + high) / 2;
      if (this.#pollsAt(Math.exp(middle), longestGapMs) < polls) low = middle;
      else high = middle;
    }
    return Math.exp(low);
  }

  /** How many polls a job needs on average until its end is found, at this density. */
  #pollsAt(density: number, longestGapMs: number): number {
    let sum = 1;
    let age = 0;
    for (let count = 1; count < MAX_POLLS; count += 1) {
      const surviving = this.survival(age);
      if (surviving < RARE_SURVIVAL) break;
      sum += surviving;
      age = Math.max(this.#nextAgeAt(age, density, longestGapMs), ageOfNextPoll(count));
    }
    return sum;
  }
}

export interface PollingProfile {
  /** Short enough to notice an early end, for example by a failure, soon. The scheduler's jitter adds up to a twentieth. */
  longestGapMs: number;
  /** The share of the specification's polls that is used. */
  pollShare: number;
  /** A usual duration, which stands for the predicted one in the distribution of predictions, so that gaps have the usual lengths. */
  unitMs: number;
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
const imageProfile: PollingProfile = {
  longestGapMs: 9_500,
  pollShare: 0.88,
  unitMs: 40_000,
  assumed: logLogistic(17_000, 0.6),
};
/** Learned durations are never quite right, so a small share of the specification's polls is kept. */
const defaultProfile: PollingProfile = { longestGapMs: 20_000, pollShare: 0.99, unitMs: 150_000, assumed: [] };

export const POLLING_PROFILES: Readonly<Record<WaitLimit, PollingProfile>> = {
  image: imageProfile,
  video: defaultProfile,
  music: defaultProfile,
  text: defaultProfile,
};
