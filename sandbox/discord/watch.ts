/** The limit in real time after which a wait fails; all other waits use the injected clock. */
const WAIT_LIMIT_MS = 50_000;

interface PendingWait {
  check(): boolean;
  fail(error: Error): void;
}

/** Waits for conditions, which are checked only after a change. */
export class Watch {
  readonly #pending = new Set<PendingWait>();

  notify(): void {
    for (const waiter of [...this.#pending]) if (waiter.check()) this.#pending.delete(waiter);
  }

  /** `find` returns undefined to keep waiting and throws to fail; `describeState` adds details to the error message. */
  until<Found>(find: () => Found | undefined, description: string, describeState = () => ''): Promise<Found> {
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    // The promise may reject before the caller awaits it.
    promise.catch(() => undefined);
    let timeout: NodeJS.Timeout | undefined;
    const waiter: PendingWait = {
      check: () => {
        try {
          const found = find();
          if (found === undefined) return false;
          resolve(found);
        } catch (error) {
          reject(error);
        }
        clearTimeout(timeout);
        return true;
      },
      fail: (error) => {
        clearTimeout(timeout);
        reject(error);
      },
    };
    if (waiter.check()) return promise;
    this.#pending.add(waiter);
    // Created here, so that its stack trace shows the caller.
    const timeoutError = new Error(
      `Timed out after ${WAIT_LIMIT_MS / 1_000} seconds of real time, waiting for ${description}.`,
    );
    timeout = setTimeout(() => {
      this.#pending.delete(waiter);
      timeoutError.message += ` ${describeState()}`;
      waiter.fail(timeoutError);
    }, WAIT_LIMIT_MS);
    return promise;
  }

  close(): void {
    for (const waiter of this.#pending) waiter.fail(new Error('The embedded Discord was closed.'));
    this.#pending.clear();
  }
}
