import { Pace } from './pace.ts';
import { Pressure, RateMeter } from './pressure.ts';

export interface SchedulerLimits {
  perSecond: number;
  inFlight: number;
}

/** The share of all concurrent polls that one lane may use, so a lane whose polls hang leaves some to the others. */
const LANE_SHARE = 0.75;
/** The polls of a second are not all started together. */
const STEPS_PER_SECOND = 10;

/**
 * Decides from the latest requests when polls can start, within the operator's limit and the rate that the gateway accepts. A full token bucket would
 * allow its content plus its flow within one second, which is too many.
 */
export class PollCapacity {
  #limits: SchedulerLimits;
  /** Polls per step times steps per second is at most the limit per second. */
  #stepMs = 0;
  /** When the latest requests were permitted: a ring whose `#oldest` entry is overwritten next. */
  #requestTimes: number[] = [];
  #oldest = 0;
  #runningCount = 0;
  readonly #pace = new Pace();
  readonly #requestRate = new RateMeter();
  readonly #pressure = new Pressure();

  constructor(limits: SchedulerLimits) {
    this.#limits = limits;
    this.setLimits(limits, Number.NEGATIVE_INFINITY);
  }

  /** The next polls wait for one step of the slower limit, so that no second has more polls than the larger limit allows. */
  setLimits(limits: SchedulerLimits, now: number): void {
    const { perSecond, inFlight } = limits;
    if (!(inFlight >= 1)) throw new RangeError(`${inFlight} polls at once is not a valid limit.`);
    if (!(perSecond > 0 && perSecond < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`${perSecond} polls a second is not a valid limit.`);
    }
    const perStep = Math.max(1, Math.floor(perSecond / STEPS_PER_SECOND));
    const steps = perSecond < 1 ? perSecond : Math.floor(perSecond / perStep);
    const stepMs = Math.ceil(1_000 / steps);
    this.#requestTimes = new Array<number>(perStep).fill(now + Math.max(0, this.#stepMs - stepMs));
    this.#oldest = 0;
    this.#limits = limits;
    this.#stepMs = stepMs;
  }

  get maxPollsPerLane(): number {
    return Math.max(1, Math.floor(this.#limits.inFlight * LANE_SHARE));
  }

  /** When the next poll can start; infinity until one that is running has ended. */
  opensAt(now: number): number {
    return this.#runningCount >= this.#limits.inFlight ? Number.POSITIVE_INFINITY : this.nextRequestAt(now);
  }

  /** When a running poll can send another request. */
  nextRequestAt(now: number): number {
    const share = this.#pace.shareAt(now);
    const { length } = this.#requestTimes;
    const afterOldest = (this.#requestTimes[this.#oldest] ?? 0) + Math.ceil(this.#stepMs / share);
    if (share >= 1) return afterOldest;
    // For a gateway that received too many polls at once, polls are evenly spaced.
    const latest = this.#requestTimes.at(this.#oldest - 1) ?? 0;
    return Math.max(afterOldest, latest + this.#stepMs / (share * length));
  }

  /** Begins a poll, with its first request. */
  begin(now: number): void {
    this.recordRequest(now);
    this.#runningCount += 1;
  }

  recordRequest(now: number): void {
    this.#requestTimes[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#requestTimes.length;
    this.#requestRate.count(now);
  }

  end(): void {
    this.#runningCount -= 1;
  }

  /** Call this when the gateway asks for fewer polls. Returns how many per second remain, if that has changed. */
  halve(now: number): number | undefined {
    const { perSecond } = this.#limits;
    const isHalved = this.#pace.halve(this.#requestRate.rate(now) / perSecond, now);
    return isHalved ? perSecond * this.#pace.shareAt(now) : undefined;
  }

  /** The factor by which gaps should grow so that all tasks can be polled. */
  get pressure(): number {
    return this.#pressure.value;
  }

  /** `queue`: how many polls could start now if the limits allowed it. */
  update(queue: number, now: number): void {
    const allowed = this.#limits.perSecond * this.#pace.shareAt(now);
    this.#pressure.update({ rate: this.#requestRate.rate(now), allowed, queue }, now);
  }
}
