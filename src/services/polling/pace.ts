/** Why polling slows down. `complaint`: the gateway asked for fewer polls. `slowness`: its responses became much slower than usual. */
export type SlowdownCause = 'complaint' | 'slowness';

const COMPLAINT_FACTOR = 0.5;
const SLOWNESS_FACTOR = 0.7;
/** Polls that were running at the first complaint bring complaints too, for the same reason. */
const ONE_COMPLAINT_MS = 2_000;
/** How long the rate takes to rise from half of the excessive rate back to it; then it rises further. */
const RECOVERY_MS = 20_000;
/** However low the rate fell, it is fully restored after this time. */
const MAX_RECOVERY_MS = 10 * 60_000;
/** A share that always remains, because without polls a gateway cannot show that it has recovered. */
const MIN_SHARE = 0.01;

/**
 * Polls per second: the operator's limit, or less after failures. It falls immediately and rises slowly, so it settles below the rate that the gateway accepts.
 */
export class Pace {
  #max: number;
  #base: number;
  #since = 0;
  #risePerMs = 0;
  #fellAt = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number) {
    this.#max = perSecond;
    this.#base = perSecond;
  }

  rateAt(now: number): number {
    return Math.min(this.#max, this.#base + this.#risePerMs * Math.max(0, now - this.#since));
  }

  /** The part of the operator's limit that is allowed. */
  shareAt(now: number): number {
    return this.rateAt(now) / this.#max;
  }

  /** Sets a new limit of the operator. After failures, the same share of it is allowed. */
  setMax(max: number, now: number): void {
    const factor = max / this.#max;
    this.#base = this.rateAt(now) * factor;
    this.#risePerMs *= factor;
    this.#since = now;
    this.#max = max;
  }

  /** `rate` is the recent rate of polls: a limit above it did no harm. Returns whether the state has changed. */
  slowDown(cause: SlowdownCause, rate: number, now: number): boolean {
    if (now - this.#fellAt < ONE_COMPLAINT_MS) return false;
    const excessiveRate = Math.min(this.rateAt(now), Math.max(rate, MIN_SHARE * this.#max));
    this.#base = Math.max(
      MIN_SHARE * this.#max,
      excessiveRate * (cause === 'complaint' ? COMPLAINT_FACTOR : SLOWNESS_FACTOR),
    );
    this.#risePerMs = Math.max((excessiveRate * COMPLAINT_FACTOR) / RECOVERY_MS, this.#max / MAX_RECOVERY_MS);
    this.#since = now;
    this.#fellAt = now;
    return true;
  }
}

const MIN_RESPONSES = 50;
const USUAL_WEIGHT = 0.02;
const RECENT_WEIGHT = 0.2;
/** Far above the usual duration, and long enough to matter. */
const SLOW_FACTOR = 4;
const MIN_SLOW_MS = 1_000;

export class Latency {
  #count = 0;
  #usualMs = 0;
  #recentMs = 0;

  /** True when the responses have become slow, and again only after as much new evidence. */
  recordLatency(ms: number): boolean {
    this.#count += 1;
    // The first durations are averaged evenly, so none of them counts as usual for long.
    this.#usualMs += Math.max(USUAL_WEIGHT, 1 / this.#count) * (ms - this.#usualMs);
    this.#recentMs += Math.max(RECENT_WEIGHT, 1 / this.#count) * (ms - this.#recentMs);
    if (this.#count < MIN_RESPONSES || this.#recentMs < MIN_SLOW_MS || this.#recentMs < SLOW_FACTOR * this.#usualMs)
      return false;
    this.#recentMs = this.#usualMs;
    return true;
  }
}

const WINDOW_MS = 1_000;

/** The recent rate of events per second; older events count less. */
export class RateMeter {
  #perSecond = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  count(now: number): void {
    this.#perSecond = this.rate(now) + 1_000 / WINDOW_MS;
    this.#countedAt = now;
  }

  rate(now: number): number {
    return this.#perSecond === 0 ? 0 : this.#perSecond * Math.exp((this.#countedAt - now) / WINDOW_MS);
  }
}

/** The share of the allowed polls to aim for. Above this share, polls queue; below it, some of the allowed polls are not used. */
const TARGET_SHARE = 0.97;
/** How fast the pressure follows the demand. If it were faster than the gaps it acts on, it would oscillate. */
const RESPONSE_TIME_MS = 30_000;
/** A queue should be emptied within this time: longer than most gaps, since tasks in it cannot be delayed before their next poll. */
const QUEUE_DRAIN_SECONDS = 10;
/** The pressure falls cautiously, because too little of it causes a queue. */
const MAX_RELIEF = 0.5;
const MIN_STEP_MS = 100;
/** If more time than this has passed, the pressure rises as if it were only this much. */
const MAX_STEP_MS = 1_000;
/** A shorter wait does not count as a queue. */
const QUEUE_SECONDS = 0.25;
/**
 * The highest pressure. Beyond it only the queue delays polls. Jobs of one age in a queue get their polls in turns, which is best; pressure only
 * helps if jobs differ.
 */
const MAX_PRESSURE = 6;

/** The factor by which gaps must grow; 1 if there is enough capacity. It is the same for all tasks, and follows the ratio of demand to capacity. */
export class Pressure {
  #logarithm = 0;
  #updatedAt = Number.NEGATIVE_INFINITY;

  get value(): number {
    return Math.exp(this.#logarithm);
  }

  isDue(now: number): boolean {
    return now - this.#updatedAt >= MIN_STEP_MS;
  }

  update({ rate, allowed, queue }: Record<'rate' | 'allowed' | 'queue', number>, now: number): void {
    const elapsed = Math.min(now - this.#updatedAt, MAX_PRESSURE * RESPONSE_TIME_MS);
    this.#updatedAt = now;
    const isQueue = queue > QUEUE_SECONDS * rate;
    // A queue below the allowed rate is limited by slow responses, so the actual rate is the capacity.
    const capacity = isQueue ? Math.min(allowed, Math.max(1, rate)) : allowed;
    const targetChange = Math.log(
      Math.max(rate + (isQueue ? queue / QUEUE_DRAIN_SECONDS : 0), 0.01) / (TARGET_SHARE * capacity),
    );
    const step =
      targetChange > 0 ? targetChange * Math.min(elapsed, MAX_STEP_MS) : Math.max(-MAX_RELIEF, targetChange) * elapsed;
    this.#logarithm = Math.min(Math.log(MAX_PRESSURE), Math.max(0, this.#logarithm + step / RESPONSE_TIME_MS));
  }
}
