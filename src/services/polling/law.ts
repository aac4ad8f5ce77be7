import { ageOfNext, LEAST_GAP_MS } from './allowance.ts';
import { ageAt, bins, EDGES, valueAt, width } from './fit.ts';
import { RARE, SPEC_GAP_MS, specQuestions } from './schedule.ts';

/** Nothing waits longer for a look while its members wait: what ends early, by a failure for example, is no surprise for long. */
const LONGEST_GAP_MS = 20_000;
/** And under pressure nothing waits longer than that. */
const LONGEST_THINNED_MS = 60_000;
/** Of the questions that the specification's schedule would need, so many: what is learned is never quite right. */
const SHARE = 0.99;
/** Past the age by which so many have ended, least gaps grow by a tenth of the time since then, up to the specification's. */
const EXPERIENCE = 0.99;
const PAST_GROWTH = 0.1;
const CERTAINTY = 1e-9;
/** Enough halvings to know the density of questions to a thousandth. */
const HALVINGS = 14;
/** Questions to a unit of worth. Thinner, and hardly any is asked; denser, and every gap is the least there may be. */
const THINNEST = 0.001;
const DENSEST = 0.2;
const MOST_QUESTIONS = 400;

/**
 * How long jobs take, and where questions about them are worth most: their density over the age is proportional to the square root of the
 * hazard, the chance that a job ends now if it has not ended before (Keller 1974). How dense they are in all is chosen so that a job needs no
 * more of them than on the specification's schedule.
 */
export class Law {
  /** At each edge of the grid: the chance that a job has ended. */
  readonly #ended = new Float64Array(EDGES.length);
  /** And the integral of the hazard's square root up to there. */
  readonly #worth = new Float64Array(EDGES.length);
  /** Past this age there is hardly any experience. */
  readonly #known: number;
  readonly #density: number;

  constructor(masses: Float64Array) {
    let left = 1;
    for (const bin of bins().keys()) {
      const after = Math.max(CERTAINTY, left - (masses[bin] ?? 0));
      const hazard = Math.log(left / after) / width(bin);
      this.#worth[bin + 1] = (this.#worth[bin] ?? 0) + Math.sqrt(Math.max(0, hazard)) * width(bin);
      this.#ended[bin + 1] = 1 - after;
      left = after;
    }
    this.#known = ageAt(this.#ended, EXPERIENCE);
    this.#density = this.#affordable(SHARE * specQuestions((age) => this.survival(age)));
  }

  /** The chance that a job lasts longer. */
  survival(age: number): number {
    return 1 - valueAt(this.#ended, age);
  }

  /** By when half of the jobs that have come to this age have ended. */
  medianFrom(age: number): number {
    return ageAt(this.#ended, 1 - this.survival(age) / 2);
  }

  /**
   * The age for the next question about a job of this age. Under pressure one density bounds those of all laws: whatever is worth less than
   * that is given up first, whichever job it is about. The bound begins at the densest there may be, which is far above most, so it falls
   * with the square.
   */
  next(age: number, pressure = 1): number {
    const density = Math.min(this.#density, DENSEST / pressure ** 2);
    return this.#next(age, density, Math.min(LONGEST_THINNED_MS, (LONGEST_GAP_MS * this.#density) / density));
  }

  #next(age: number, density: number, longestGap: number): number {
    const next = ageAt(this.#worth, valueAt(this.#worth, age) + 1 / density);
    const least = Math.max(LEAST_GAP_MS, Math.min(SPEC_GAP_MS, PAST_GROWTH * (age - this.#known)));
    return Math.min(age + longestGap, Math.max(age + least, next));
  }

  #affordable(questions: number): number {
    let [low, high] = [Math.log(THINNEST), Math.log(DENSEST)];
    for (let halving = 0; halving < HALVINGS; halving += 1) {
      const middle = (low + high) / 2;
      if (this.#questions(Math.exp(middle)) < questions) low = middle;
      else high = middle;
    }
    return Math.exp(low);
  }

  /** How many questions a job needs on average until its end is found, where they may be so dense. */
  #questions(density: number): number {
    let sum = 1;
    let age = 0;
    for (let count = 1; count < MOST_QUESTIONS; count += 1) {
      const left = this.survival(age);
      if (left < RARE) break;
      sum += left;
      age = Math.max(this.#next(age, density, LONGEST_GAP_MS), ageOfNext(count));
    }
    return sum;
  }
}
