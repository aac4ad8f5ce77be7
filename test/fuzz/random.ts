/** Random numbers that are the same for the same seed on every machine. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e37_79b9) | 0;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  integerBelow(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.integerBelow(list.length)];
  }
}
