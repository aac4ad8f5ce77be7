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
const MOST = 6;

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
    const elapsed = Math.min(now - this.#at, MOST * FOLLOWS_MS);
    this.#at = now;
    const isQueue = queue > QUEUE_SECONDS * rate;
    // What waits although more was allowed is held back by how long answers take: then that is all the room there is.
    const room = isQueue ? Math.min(allowed, Math.max(1, rate)) : allowed;
    const wanted = Math.log(Math.max(rate + (isQueue ? queue / QUEUE_GONE_SECONDS : 0), 0.01) / (AIM * room));
    const step = wanted > 0 ? wanted * Math.min(elapsed, LONGEST_STEP_MS) : Math.max(-MOST_RELIEF, wanted) * elapsed;
    this.#logarithm = Math.min(Math.log(MOST), Math.max(0, this.#logarithm + step / FOLLOWS_MS));
  }
}
