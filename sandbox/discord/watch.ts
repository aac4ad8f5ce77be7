/** A real-time limit, so that a wait whose condition never holds fails; all other waits use the injected clock. */
const WAIT_LIMIT_MS = 50_000;

interface Waiter {
  check(): boolean;
  fail(problem: Error): void;
}

/** Waits for conditions, which are checked only after a change. */
export class Watch {
  readonly #waiters = new Set<Waiter>();

  changed(): void {
    for (const waiter of [...this.#waiters]) if (waiter.check()) this.#waiters.delete(waiter);
  }

  /** `look` returns undefined to keep waiting and throws to fail; `seen` describes the state for the error message. */
  until<Found>(look: () => Found | undefined, what: string, seen = () => ''): Promise<Found> {
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    // The caller may await the promise only after it has failed.
    promise.catch(() => undefined);
    let timeout: NodeJS.Timeout | undefined;
    const waiter: Waiter = {
      check: () => {
        try {
          const found = look();
          if (found === undefined) return false;
          resolve(found);
        } catch (problem) {
          reject(problem);
        }
        clearTimeout(timeout);
        return true;
      },
      fail: (problem) => {
        clearTimeout(timeout);
        reject(problem);
      },
    };
    if (waiter.check()) return promise;
    this.#waiters.add(waiter);
    // Created here so that its stack shows the caller.
    const late = new Error(`Timed out after ${WAIT_LIMIT_MS / 1_000} seconds of real time, waiting for ${what}.`);
    timeout = setTimeout(() => {
      this.#waiters.delete(waiter);
      late.message += ` ${seen()}`;
      waiter.fail(late);
    }, WAIT_LIMIT_MS);
    return promise;
  }

  close(): void {
    for (const waiter of this.#waiters) waiter.fail(new Error('The embedded Discord was closed.'));
    this.#waiters.clear();
  }
}
