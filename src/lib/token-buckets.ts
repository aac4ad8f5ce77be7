import { RecentMap } from './recent-map.ts';

/** How many actions are allowed at once, and at what rate after that. */
export interface Rate {
  atOnce: number;
  perSecond: number;
}

/** More than the names in use at any time. The least recently used ones are dropped, because their buckets are full again by then. */
const MAX_BUCKETS = 50_000;

/** A token bucket for each name. Nothing is scheduled: a bucket's content is calculated when it is used. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #clock: { now(): number };
  /** Least recently used first. */
  readonly #buckets = new RecentMap<string, { tokens: number; updatedAt: number }>(MAX_BUCKETS);

  /** `clock` must never go back. */
  constructor(rate: Rate, clock: { now(): number }) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Takes a token; false if there is none. */
  take(name: string): boolean {
    const tokens = this.#tokensOf(name);
    if (tokens < 1) return false;
    this.#buckets.set(name, { tokens: tokens - 1, updatedAt: this.#clock.now() });
    return true;
  }

  /** Returns a token that was not needed. */
  putBack(name: string): void {
    const bucket = this.#buckets.get(name);
    if (bucket) bucket.tokens = Math.min(this.#rate.atOnce, bucket.tokens + 1);
  }

  waitMs(name: string): number {
    return Math.max(0, Math.ceil(((1 - this.#tokensOf(name)) / this.#rate.perSecond) * 1000));
  }

  get size(): number {
    return this.#buckets.size;
  }

  #tokensOf(name: string): number {
    const { atOnce, perSecond } = this.#rate;
    const bucket = this.#buckets.get(name);
    if (!bucket) return atOnce;
    return Math.min(atOnce, bucket.tokens + ((this.#clock.now() - bucket.updatedAt) / 1000) * perSecond);
  }
}
