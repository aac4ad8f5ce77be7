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
const LEAST_SHARE = 0.01;

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
    const tooMuch = Math.min(this.at(now), Math.max(rate, LEAST_SHARE * this.#most));
    this.#base = Math.max(LEAST_SHARE * this.#most, tooMuch * (why === 'complaint' ? AFTER_COMPLAINT : AFTER_SLOWNESS));
    this.#risePerMs = Math.max((tooMuch * AFTER_COMPLAINT) / RECOVERY_MS, this.#most / LONGEST_RECOVERY_MS);
    this.#since = now;
    this.#fellAt = now;
    return true;
  }
}

/** What is usual is known after so many answers. */
const ENOUGH_ANSWERS = 50;
const USUAL_SHARE = 0.02;
const RECENT_SHARE = 0.2;
/** Far above the usual, and long enough to mean anything. */
const FAR_ABOVE = 4;
const LONG_MS = 1_000;

/** How long a lane's answers take, usually and of late. */
export class Latency {
  #count = 0;
  #usual = 0;
  #recent = 0;

  /** Says whether the answers have become slow: once, and then again only after as much new evidence. */
  isSlowWith(ms: number): boolean {
    this.#count += 1;
    // The first ones are averaged evenly, so that none of them counts for long as the usual.
    this.#usual += Math.max(USUAL_SHARE, 1 / this.#count) * (ms - this.#usual);
    this.#recent += Math.max(RECENT_SHARE, 1 / this.#count) * (ms - this.#recent);
    if (this.#count < ENOUGH_ANSWERS || this.#recent < LONG_MS || this.#recent < FAR_ABOVE * this.#usual) return false;
    this.#recent = this.#usual;
    return true;
  }
}

/** The rate is that of about so long a time. */
const SPAN_MS = 1_000;

/** How many a second there have been of late: what is long past fades. */
export class Meter {
  #perSecond = 0;
  #at = Number.NEGATIVE_INFINITY;

  count(now: number): void {
    this.#perSecond = this.rate(now) + 1_000 / SPAN_MS;
    this.#at = now;
  }

  rate(now: number): number {
    return this.#perSecond === 0 ? 0 : this.#perSecond * Math.exp((this.#at - now) / SPAN_MS);
  }
}

/** So much of what may be asked is to be wanted. With more of it questions queue, and with less of it they are missed. */
const AIM = 0.97;
/** How soon the pressure follows what is wanted. Faster than the gaps it acts on, it would swing. */
const FOLLOWS_MS = 10_000;
/** A queue is to be gone within so many seconds: longer than most gaps, for until then nobody in it can be asked to come later. */
const QUEUE_GONE_SECONDS = 10;
/** Down again it goes with care: too little pressure is a queue. */
const MOST_RELIEF = 0.5;
const LEAST_STEP_MS = 100;
/** What happened in a longer time than that is no reason to push at once. */
const LONGEST_STEP_MS = 1_000;
/** Less than so long a wait for one's turn is no queue. */
const QUEUE_SECONDS = 0.25;
/** Beyond that it is the queue that makes everybody wait. */
const MOST_PRESSURE = 6;

interface Flow {
  /** Questions begun a second, of late. */
  rate: number;
  /** Questions that may be begun a second. */
  allowed: number;
  /** Questions that could be begun now and are not. */
  queue: number;
}

/**
 * How many times as far apart questions must be so that there is room for them: 1 where there is room anyway. One number for all tasks, moved
 * by what is wanted against what is allowed; whoever advises when to ask next may follow it.
 */
export class Pressure {
  #logarithm = 0;
  #at = Number.NEGATIVE_INFINITY;

  get value(): number {
    return Math.exp(this.#logarithm);
  }

  isDue(now: number): boolean {
    return now - this.#at >= LEAST_STEP_MS;
  }

  follow({ rate, allowed, queue }: Flow, now: number): void {
    const elapsed = Math.min(now - this.#at, MOST_PRESSURE * FOLLOWS_MS);
    this.#at = now;
    const isQueue = queue > QUEUE_SECONDS * rate;
    // What waits although more was allowed is held back by how long answers take: then that is all the room there is.
    const room = isQueue ? Math.min(allowed, Math.max(1, rate)) : allowed;
    const wanted = Math.log(Math.max(rate + (isQueue ? queue / QUEUE_GONE_SECONDS : 0), 0.01) / (AIM * room));
    const step = wanted > 0 ? wanted * Math.min(elapsed, LONGEST_STEP_MS) : Math.max(-MOST_RELIEF, wanted) * elapsed;
    this.#logarithm = Math.min(Math.log(MOST_PRESSURE), Math.max(0, this.#logarithm + step / FOLLOWS_MS));
  }
}
