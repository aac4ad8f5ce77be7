/** Runs work concurrently until some must run alone: that waits for the running work, and everything after it waits for it. */
export class Gate {
  readonly #inside = new Set<Promise<unknown>>();
  #alone: Promise<unknown> | undefined;

  async pass<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone !== undefined) await Promise.allSettled([this.#alone]);
    const mine = work();
    this.#inside.add(mine);
    try {
      return await mine;
    } finally {
      this.#inside.delete(mine);
    }
  }

  async passAlone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone !== undefined) await Promise.allSettled([this.#alone]);
    const mine = Promise.allSettled(this.#inside).then(work);
    this.#alone = mine;
    try {
      return await mine;
    } finally {
      this.#alone = undefined;
    }
  }
}
