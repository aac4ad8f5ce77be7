import { Pace, Pressure, RateMeter, type SlowdownCause } from './pace.ts';

export interface SchedulerLimits {
  perSecond: number;
  inFlight: number;
}

/** The polls of a second are not all started together. */
const STEPS_PER_SECOND = 10;

/** Decides from the latest requests when polls can start: a full token bucket would allow its content plus its flow within one second, which is too many. */
export class PollBudget {
  #inFlight = 0;
  /** Polls per step times steps per second is at most the limit per second. */
  #stepMs = 0;
  /** When the latest requests were permitted: a ring whose `#oldest` entry is overwritten next. */
  #requestTimes: number[] = [];
  #oldest = 0;
  share = 1;
  #runningCount = 0;

  constructor(limits: SchedulerLimits) {
    this.setLimits(limits, Number.NEGATIVE_INFINITY);
  }

  /** The next polls wait for one step of the slower limit, so that no second has more polls than the larger limit allows. */
  setLimits({ perSecond, inFlight }: SchedulerLimits, now: number): void {
    if (!(inFlight >= 1)) throw new RangeError(`${inFlight} polls at once is not a valid limit.`);
    if (!(perSecond > 0 && perSecond < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`${perSecond} polls a second is not a valid limit.`);
    }
    const perStep = Math.max(1, Math.floor(perSecond / STEPS_PER_SECOND));
    const steps = perSecond < 1 ? perSecond : Math.floor(perSecond / perStep);
    const stepMs = Math.ceil(1_000 / steps);
    this.#requestTimes = new Array<number>(perStep).fill(now + Math.max(0, this.#stepMs - stepMs));
    this.#inFlight = inFlight;
    this.#stepMs = stepMs;
    this.#oldest = 0;
  }

  /** When the next poll can start; infinity until one that is running has ended. */
  get opensAt(): number {
    return this.#runningCount >= this.#inFlight ? Number.POSITIVE_INFINITY : this.nextRequestAt;
  }

  /** When a running poll can send another request. */
  get nextRequestAt(): number {
    const { length } = this.#requestTimes;
    const afterOldest = (this.#requestTimes[this.#oldest] ?? 0) + Math.ceil(this.#stepMs / this.share);
    if (this.share >= 1) return afterOldest;
    // For a gateway that received too many polls at once, polls are evenly spaced.
    const latest = this.#requestTimes[(this.#oldest + length - 1) % length] ?? 0;
    return Math.max(afterOldest, latest + this.#stepMs / (this.share * length));
  }

  /** Begins a poll, with its first request. */
  begin(now: number): void {
    this.recordRequest(now);
    this.#runningCount += 1;
  }

  recordRequest(now: number): void {
    this.#requestTimes[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#requestTimes.length;
  }

  end(): void {
    this.#runningCount -= 1;
  }
}

/** How many polls can be made, given the operator's limit, the rate that the gateway accepts, and the pressure of demand. */
export class PollCapacity {
  readonly #budget: PollBudget;
  readonly #pace: Pace;
  readonly #requestRate = new RateMeter();
  readonly #pressure = new Pressure();

  constructor(limits: SchedulerLimits) {
    this.#budget = new PollBudget(limits);
    this.#pace = new Pace(limits.perSecond);
  }

  opensAt(now: number): number {
    this.#budget.share = this.#pace.shareAt(now);
    return this.#budget.opensAt;
  }

  nextRequestAt(now: number): number {
    this.#budget.share = this.#pace.shareAt(now);
    return this.#budget.nextRequestAt;
  }

  setLimits(limits: SchedulerLimits, now: number): void {
    this.#budget.setLimits(limits, now);
    this.#pace.setMax(limits.perSecond, now);
  }

  begin(now: number): void {
    this.#budget.begin(now);
    this.#requestRate.count(now);
  }

  recordRequest(now: number): void {
    this.#budget.recordRequest(now);
    this.#requestRate.count(now);
  }

  end(): void {
    this.#budget.end();
  }

  /** Returns how many polls per second remain, if that has changed. */
  slowDown(cause: SlowdownCause, now: number): number | undefined {
    return this.#pace.slowDown(cause, this.#requestRate.rate(now), now) ? this.#pace.rateAt(now) : undefined;
  }

  /** The factor by which gaps should grow so that all tasks can be polled. */
  get pressure(): number {
    return this.#pressure.value;
  }

  /** `queued`: how many polls could start now if the limits allowed it. */
  update(queued: () => number, now: number): void {
    if (!this.#pressure.isDue(now)) return;
    this.#pressure.update({ rate: this.#requestRate.rate(now), allowed: this.#pace.rateAt(now), queue: queued() }, now);
  }
}
