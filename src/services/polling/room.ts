import { Budget, type SchedulerLimits } from './budget.ts';
import { Meter } from './meter.ts';
import { type Fall, Pace } from './pace.ts';
import { Pressure } from './pressure.ts';

/** How many questions there is room for: the operator's budget, what the gateway shows to take of it, and how much more is wanted. */
export class Room {
  readonly #perSecond: number;
  readonly #budget: Budget;
  readonly #pace: Pace;
  readonly #begun = new Meter();
  readonly #pressure = new Pressure();

  constructor(limits: SchedulerLimits) {
    this.#perSecond = limits.perSecond;
    this.#budget = new Budget(limits);
    this.#pace = new Pace(limits.perSecond);
  }

  /** From when on the next question may be begun; never, until one that is under way has ended. */
  opensAt(now: number): number {
    this.#budget.share = this.#pace.at(now) / this.#perSecond;
    return this.#budget.opensAt;
  }

  begin(now: number): void {
    this.#budget.begin(now);
    this.#begun.count(now);
  }

  end(): void {
    this.#budget.end();
  }

  /** The gateway complains or is slow. Says how many questions a second are left, where that is news. */
  narrow(why: Fall, now: number): number | undefined {
    return this.#pace.fall(why, this.#begun.rate(now), now) ? this.#pace.at(now) : undefined;
  }

  /** How many times as far apart questions should be so that there is room for all. */
  get pressure(): number {
    return this.#pressure.value;
  }

  /** `queued` says how many questions could be begun now and are not. */
  follow(queued: () => number, now: number): void {
    if (!this.#pressure.isDue(now)) return;
    this.#pressure.follow({ rate: this.#begun.rate(now), allowed: this.#pace.at(now), queue: queued() }, now);
  }
}
