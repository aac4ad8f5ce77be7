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

  get pressure(): number {
    return this.#pressure.value;
  }

  /** `queue`: how many polls could start now if the limits allowed it. */
  update(queue: number, now: number): void {
    const allowed = this.#limits.perSecond * this.#pace.shareAt(now);
    this.#pressure.update({ rate: this.#requestRate.rate(now), allowed, queue }, now);
  }
}

/** Polls that were running at the first complaint bring complaints too, for the same reason. */
const ONE_COMPLAINT_MS = 2_000;
/** How long the rate takes to rise from half of the excessive rate back to it; then it rises further. */
const RECOVERY_MS = 20_000;
/** However low the rate fell, it is fully restored after this time. */
const MAX_RECOVERY_MS = 10 * 60_000;
/** A share that always remains, because without polls a gateway cannot show that it has recovered. */
const MIN_SHARE = 0.01;

/** The share of the operator's limit that may be used. It is halved when the gateway complains and rises slowly, so it settles below the rate that the gateway accepts. */
export class Pace {
  #halvedShare = 1;
  #risePerMs = 1 / MAX_RECOVERY_MS;
  #halvedAt = Number.NEGATIVE_INFINITY;

  shareAt(now: number): number {
    return Math.min(1, this.#halvedShare + this.#risePerMs * Math.max(0, now - this.#halvedAt));
  }

  /** `usedShare` belongs to the recent rate of polls: a limit above it did no harm. Returns whether the share has changed. */
  halve(usedShare: number, now: number): boolean {
    if (now - this.#halvedAt < ONE_COMPLAINT_MS) return false;
    const excessiveShare = Math.min(this.shareAt(now), Math.max(usedShare, MIN_SHARE));
    this.#halvedShare = Math.max(MIN_SHARE, excessiveShare / 2);
    this.#risePerMs = Math.max(excessiveShare / 2 / RECOVERY_MS, 1 / MAX_RECOVERY_MS);
    this.#halvedAt = now;
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
