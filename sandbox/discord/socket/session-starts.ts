import type { Clock } from '../../clock.ts';
import type { Limits } from '../limits.ts';

/** How often the application may identify (documentation, events/gateway, "Session Start Limit Object"). */
export class SessionStarts {
  readonly #limits: Limits;
  readonly #clock: Clock;
  /** When a session last started, by the key of its shard ("Max Concurrency"). */
  readonly #lastStartByKey = new Map<number, number>();
  #periodStart: number;
  #usedStarts = 0;

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#periodStart = clock.now();
  }

  /** The object in the response of `/gateway/bot`. */
  get payload(): { total: number; remaining: number; reset_after: number; max_concurrency: number } {
    this.#startNewPeriod();
    const { identifiesPerPeriod, identifyPeriodMs, maxConcurrency } = this.#limits;
    return {
      total: identifiesPerPeriod,
      remaining: identifiesPerPeriod - this.#usedStarts,
      reset_after: this.#periodStart + identifyPeriodMs - this.#clock.now(),
      max_concurrency: maxConcurrency,
    };
  }

  /** Counts a start of a session if it is allowed now. */
  tryStart(shardId: number): 'allowed' | 'too early' | 'used up' {
    const { identifyWindowMs, maxConcurrency } = this.#limits;
    const key = shardId % maxConcurrency;
    const lastStart = this.#lastStartByKey.get(key) ?? Number.NEGATIVE_INFINITY;
    const now = this.#clock.now();
    if (now - lastStart < identifyWindowMs) return 'too early';
    if (this.payload.remaining === 0) return 'used up';
    this.#lastStartByKey.set(key, now);
    this.#usedStarts += 1;
    return 'allowed';
  }

  #startNewPeriod(): void {
    const { identifyPeriodMs } = this.#limits;
    const periods = Math.floor((this.#clock.now() - this.#periodStart) / identifyPeriodMs);
    if (periods <= 0) return;
    this.#periodStart += periods * identifyPeriodMs;
    this.#usedStarts = 0;
  }
}
