/** A concurrency limit that all partitions of a process share. Each partition counts its own work. */
export class SharedLimit {
  #limit: number;
  readonly #counters = new Set<() => number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  set(limit: number): void {
    this.#limit = limit;
  }

  /** Returns a function that removes the counter. */
  add(count: () => number): () => void {
    this.#counters.add(count);
    return () => this.#counters.delete(count);
  }

  hasRoom(): boolean {
    if (this.#limit === Number.POSITIVE_INFINITY) return true;
    let sum = 0;
    for (const count of this.#counters) sum += count();
    return sum < this.#limit;
  }
}
