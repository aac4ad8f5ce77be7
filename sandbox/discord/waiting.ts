/** A real-time net under a test whose condition never comes; everything else waits on the injected clock. */
const PATIENCE_MS = 50_000;

interface Waiter {
  check(): boolean;
  fail(problem: Error): void;
}

/** Lets code wait until what it looks for is there, looking only when something has changed. */
export class Watch {
  readonly #waiters = new Set<Waiter>();

  changed(): void {
    for (const waiter of [...this.#waiters]) if (waiter.check()) this.#waiters.delete(waiter);
  }

  /** `look` answers undefined while there is nothing yet, and throws when there will never be; `seen` tells what there is instead. */
  until<Found>(look: () => Found | undefined, what: string, seen = () => ''): Promise<Found> {
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    // Whoever asked may look at the promise later than it fails.
    promise.catch(() => undefined);
    let net: NodeJS.Timeout | undefined;
    const waiter: Waiter = {
      check: () => {
        try {
          const found = look();
          if (found === undefined) return false;
          resolve(found);
        } catch (problem) {
          reject(problem);
        }
        clearTimeout(net);
        return true;
      },
      fail: (problem) => {
        clearTimeout(net);
        reject(problem);
      },
    };
    if (waiter.check()) return promise;
    this.#waiters.add(waiter);
    // Made here, it shows who waited.
    const late = new Error(`Waited ${PATIENCE_MS / 1_000} seconds of real time for ${what}.`);
    net = setTimeout(() => {
      this.#waiters.delete(waiter);
      late.message += ` ${seen()}`;
      waiter.fail(late);
    }, PATIENCE_MS);
    return promise;
  }

  close(): void {
    for (const waiter of this.#waiters) waiter.fail(new Error('The embedded Discord was closed.'));
    this.#waiters.clear();
  }
}
