/** What is usual is known after so many answers. */
const ENOUGH = 50;
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
    if (this.#count < ENOUGH || this.#recent < LONG_MS || this.#recent < FAR_ABOVE * this.#usual) return false;
    this.#recent = this.#usual;
    return true;
  }
}
