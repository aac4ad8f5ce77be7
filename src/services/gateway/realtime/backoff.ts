/** So often a connection is made anew by itself; then whoever speaks next does it. */
const MOST_TRIES = 6;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A connection that held so long was a good one: the tries before it are forgotten. */
const GOOD_AFTER_MS = 60_000;

/** How patiently lost connections are made anew. */
export class Backoff {
  readonly #random: () => number;
  #tries = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Undefined: not by itself any more. */
  next(): number | undefined {
    if (this.#tries >= MOST_TRIES) return undefined;
    const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#tries);
    this.#tries += 1;
    // Many that were cut together do not come back together.
    return this.#random() * most;
  }

  held(ms: number): void {
    if (ms >= GOOD_AFTER_MS) this.#tries = 0;
  }
}
