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

  update({ rate, allowed, queue }: Record<'rate' | 'allowed' | 'queue', number>, now: number): void {
    if (now - this.#updatedAt < MIN_STEP_MS) return;
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
