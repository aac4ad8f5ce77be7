/** Runs work with the same key one at a time, in the order of the calls. Different keys do not wait for each other. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = after(this.#tails.get(key), work);
    this.#tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    }
  }
}

async function after<T>(before: Promise<unknown> = Promise.resolve(), work: () => Promise<T>): Promise<T> {
  // A failure of the work before is reported to its own caller.
  await Promise.allSettled([before]);
  return work();
}
