/** Runs work with the same key one at a time, in the order of the calls. Different keys do not wait for each other. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = runAfter(this.#tails.get(key), work);
    this.#tails.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === result) this.#tails.delete(key);
    }
  }
}

async function runAfter<T>(previous: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
  // A failure of the previous work is reported to its own caller.
  if (previous !== undefined) await Promise.allSettled([previous]);
  return work();
}
