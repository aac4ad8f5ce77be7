import { trackUntilDone } from './track-until-done.ts';

/** Runs work concurrently, except for exclusive work: it waits for the running work, and everything after it has to wait until it has finished. */
export class Gate {
  readonly #running = new Set<Promise<unknown>>();
  #exclusive: Promise<unknown> | undefined;

  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#exclusive !== undefined) await Promise.allSettled([this.#exclusive]);
    return trackUntilDone(work(), this.#running);
  }

  async runExclusively<T>(work: () => Promise<T>): Promise<T> {
    while (this.#exclusive !== undefined) await Promise.allSettled([this.#exclusive]);
    const result = Promise.allSettled(this.#running).then(work);
    this.#exclusive = result;
    try {
      return await result;
    } finally {
      this.#exclusive = undefined;
    }
  }
}
