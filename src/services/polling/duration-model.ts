import { ageOfNextPoll, MIN_GAP_MS } from './allowance.ts';
import { ageAt, BIN_EDGES, binWidth, emptyBins, valueAt } from './histogram.ts';
import type { Rhythm } from './rhythms.ts';
import { RARE_SURVIVAL, SPEC_GAP_MS, specPollCount } from './schedule.ts';

const MAX_THINNED_GAP_MS = 60_000;
/** Past the age by which this share of jobs has ended, the smallest gaps grow by a tenth of the time since then, up to the specification's. */
const EXPERIENCE = 0.99;
const PAST_GROWTH = 0.1;
const CERTAINTY = 1e-9;
/** Enough halvings for the density of polls to a thousandth. */
const HALVINGS = 14;
/** Polls per unit of worth. Below this range, hardly any poll is made; above it, every gap is the smallest. */
const THINNEST = 0.001;
const DENSEST = 0.2;
const MAX_POLLS = 400;
/** If every end is called back, what remains is the first poll, the one that the callback causes, and this many in between. */
const FEWEST_BETWEEN = 0.4;
const FIRST_AND_LAST = 2;
/** Sparse polls need room for gaps that no schedule without callbacks would have. */
const MOST_STRETCHED = 20;
const MAX_SPARSE_GAP_MS = 180_000;

/**
 * How long jobs take, and where polls are worth most: their density over the age is proportional to the square root of the hazard, the chance that
 * a job ends now if it has not ended before (Keller 1974). The overall density is chosen so that a job needs no more polls than on the
 * specification's schedule.
 */
export class DurationModel {
  /** At each edge of the grid: the chance that a job has ended. */
  readonly #ended = new Float64Array(BIN_EDGES.length);
  /** At each edge: the integral of the hazard's square root. */
  readonly #worth = new Float64Array(BIN_EDGES.length);
  /** Past this age there is hardly any data. */
  readonly #known: number;
  readonly #density: number;
  readonly #longestGapMs: number;
  readonly #questionsInAll: number;
  /** Densities of sparser polls, by the share that remains. */
  readonly #sparse = new Map<number, number>();

  constructor(masses: Float64Array, { longestGapMs, pollShare }: Omit<Rhythm, 'assumed'>) {
    this.#longestGapMs = longestGapMs;
    let left = 1;
    for (const bin of emptyBins().keys()) {
      const after = Math.max(CERTAINTY, left - (masses[bin] ?? 0));
      const hazard = Math.log(left / after) / binWidth(bin);
      this.#worth[bin + 1] = (this.#worth[bin] ?? 0) + Math.sqrt(Math.max(0, hazard)) * binWidth(bin);
      this.#ended[bin + 1] = 1 - after;
      left = after;
    }
    this.#known = ageAt(this.#ended, EXPERIENCE);
    this.#questionsInAll = pollShare * specPollCount((age) => this.survival(age));
    this.#density = this.#affordable(this.#questionsInAll, longestGapMs);
  }

  survival(age: number): number {
    return 1 - valueAt(this.#ended, age);
  }

  /** The age by which half of the jobs that reach this age have ended. */
  medianFrom(age: number): number {
    return ageAt(this.#ended, 1 - this.survival(age) / 2);
  }

  /**
   * The age for the next poll. Under pressure one limit bounds the density of all laws, so the polls worth least are dropped first, whichever job
   * they are for. The limit starts at the highest density, far above most, so it falls with the square of the pressure.
   * `share` is what remains of its polls if its end is probably called back.
   */
  next(age: number, pressure = 1, share = 1): number {
    return this.#next(age, this.#densityAt(pressure, share), this.longestGapMs(pressure, share));
  }

  longestGapMs(pressure = 1, share = 1): number {
    const usual = this.#longestGapOf(share);
    const thinned = (usual * this.#densityOf(share)) / this.#densityAt(pressure, share);
    return Math.min(Math.max(MAX_THINNED_GAP_MS, usual), thinned);
  }

  #longestGapOf(share: number): number {
    return share >= 1
      ? this.#longestGapMs
      : Math.min(MAX_SPARSE_GAP_MS, this.#longestGapMs / Math.max(share, 1 / MOST_STRETCHED));
  }

  #densityAt(pressure: number, share: number): number {
    return Math.min(this.#densityOf(share), DENSEST / pressure ** 2);
  }

  #densityOf(share: number): number {
    if (share >= 1) return this.#density;
    const known = this.#sparse.get(share);
    if (known !== undefined) return known;
    const between = Math.max(FEWEST_BETWEEN, share * (this.#questionsInAll - FIRST_AND_LAST));
    const density = Math.min(this.#density, this.#affordable(FIRST_AND_LAST + between, this.#longestGapOf(share)));
    this.#sparse.set(share, density);
    return density;
  }

  #next(age: number, density: number, longestGap: number): number {
    const next = ageAt(this.#worth, valueAt(this.#worth, age) + 1 / density);
    const least = Math.max(MIN_GAP_MS, Math.min(SPEC_GAP_MS, PAST_GROWTH * (age - this.#known)));
    return Math.min(age + longestGap, Math.max(age + least, next));
  }

  #affordable(questions: number, longestGapMs: number): number {
    let [low, high] = [Math.log(THINNEST), Math.log(DENSEST)];
    for (let halving = 0; halving < HALVINGS; halving += 1) {
      const middle = (low + high) / 2;
      if (this.#pollsAt(Math.exp(middle), longestGapMs) < questions) low = middle;
      else high = middle;
    }
    return Math.exp(low);
  }

  /** How many polls a job needs on average until its end is found, at this density. */
  #pollsAt(density: number, longestGapMs: number): number {
    let sum = 1;
    let age = 0;
    for (let count = 1; count < MAX_POLLS; count += 1) {
      const left = this.survival(age);
      if (left < RARE_SURVIVAL) break;
      sum += left;
      age = Math.max(this.#next(age, density, longestGapMs), ageOfNextPoll(count));
    }
    return sum;
  }
}
