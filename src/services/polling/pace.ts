/** The gateway said that it was too much, or its answers came far more slowly than usual. */
export type Fall = 'complaint' | 'slowness';

/** What made a gateway complain is halved; what made it slow is cut by a third. */
const AFTER_COMPLAINT = 0.5;
const AFTER_SLOWNESS = 0.7;
/** The answers to what was under way at the first complaint complain as well, and mean the same. */
const ONE_COMPLAINT_MS = 2_000;
/** From half of what was too much the pace is back there within so long, and goes on from there. */
const RECOVERY_MS = 20_000;
/** However little that was, everything is back within so long. */
const LONGEST_RECOVERY_MS = 10 * 60_000;
/** So much of everything is always left: a gateway that is asked nothing cannot show that it has recovered. */
const LEAST = 0.01;

/**
 * How many questions a second there may be: all that the operator allows, until the gateway says or shows that it is too much. Then it falls
 * at once by a share and rises again slowly and evenly, so that it settles below what this gateway takes, whatever that is.
 */
export class Pace {
  readonly #most: number;
  #base: number;
  #since = 0;
  #risePerMs = 0;
  #fellAt = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number) {
    this.#most = perSecond;
    this.#base = perSecond;
  }

  at(now: number): number {
    return Math.min(this.#most, this.#base + this.#risePerMs * Math.max(0, now - this.#since));
  }

  /** `rate` is what the gateway has really been asked of late: what was allowed beyond that did no harm. Says whether this is news. */
  fall(why: Fall, rate: number, now: number): boolean {
    if (now - this.#fellAt < ONE_COMPLAINT_MS) return false;
    const tooMuch = Math.min(this.at(now), Math.max(rate, LEAST * this.#most));
    this.#base = Math.max(LEAST * this.#most, tooMuch * (why === 'complaint' ? AFTER_COMPLAINT : AFTER_SLOWNESS));
    this.#risePerMs = Math.max((tooMuch * AFTER_COMPLAINT) / RECOVERY_MS, this.#most / LONGEST_RECOVERY_MS);
    this.#since = now;
    this.#fellAt = now;
    return true;
  }
}
