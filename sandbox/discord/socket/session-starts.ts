import type { Clock } from '../../../src/lib/clock.ts';
import type { Limits } from '../limits.ts';

/** How often the application may identify (documentation, events/gateway, "Session Start Limit Object"). */
export class SessionStarts {
  readonly #limits: Limits;
  readonly #clock: Clock;
  /** When a session last started, by the key of its shard ("Max Concurrency"). */
  readonly #lastByKey = new Map<number, number>();
  #periodStart: number;
  #used = 0;

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#periodStart = clock.now();
  }

  /** The object in the response of `/gateway/bot`. */
  get wire(): { total: number; remaining: number; reset_after: number; max_concurrency: number } {
    this.#startNewPeriod();
    const { identifiesPerPeriod, identifyPeriodMs, maxConcurrency } = this.#limits;
    return {
      total: identifiesPerPeriod,
      remaining: identifiesPerPeriod - this.#used,
      reset_after: this.#periodStart + identifyPeriodMs - this.#clock.now(),
      max_concurrency: maxConcurrency,
    };
  }

  /** Counts a start of a session if it is allowed now. */
  take(shardId: number): 'allowed' | 'too early' | 'used up' {
    const { identifyWindowMs, maxConcurrency } = this.#limits;
    const key = shardId % maxConcurrency;
    const last = this.#lastByKey.get(key) ?? Number.NEGATIVE_INFINITY;
    const now = this.#clock.now();
    if (now - last < identifyWindowMs) return 'too early';
    if (this.wire.remaining === 0) return 'used up';
    this.#lastByKey.set(key, now);
    this.#used += 1;
    return 'allowed';
  }

  #startNewPeriod(): void {
    const { identifyPeriodMs } = this.#limits;
    const periods = Math.floor((this.#clock.now() - this.#periodStart) / identifyPeriodMs);
    if (periods <= 0) return;
    this.#periodStart += periods * identifyPeriodMs;
    this.#used = 0;
  }
}
