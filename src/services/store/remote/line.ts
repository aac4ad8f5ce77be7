import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { StoreTrouble } from '../lease/tenure.ts';
import { StoreError } from '../store-error.ts';

interface LineParts {
  /** The store, for people. */
  name: string;
  /** What the server or its library threw, told by its code. */
  explained(error: unknown, name: string): StoreError;
  /** Nothing waits longer for the server. */
  limitMs: number;
  clock: Clock;
  log: Log;
}

/** The way to a server: what is asked comes back or fails within its time, and whoever wants to know hears how it is. */
export class Line {
  readonly #parts: LineParts;
  #trouble: StoreTrouble | undefined;
  #failure: StoreError | undefined;
  #isClosed = false;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  get failure(): StoreError | undefined {
    return this.#failure;
  }

  /** The signal says that nobody waits for the answer any more. */
  async ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { name, explained } = this.#parts;
    if (this.#isClosed) throw this.#failed(new StoreError('failed', `The store ${name} is closed.`));
    try {
      const answer = await this.#inTime(work);
      this.#answered();
      return answer;
    } catch (error) {
      throw this.#failed(error instanceof StoreError ? error : explained(error, name));
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { name, limitMs } = this.#parts;
    const controller = new AbortController();
    const late = Promise.withResolvers<never>();
    // By the machine's own clock: a test whose clock stands still must not wait for ever.
    const timer = setTimeout(() => {
      const reason = `it has not answered for ${limitMs / 1_000} s`;
      late.reject(unreachable(name, reason));
      controller.abort();
    }, limitMs);
    try {
      return await Promise.race([work(controller.signal), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #answered(): void {
    const { clock, log, name } = this.#parts;
    if (!this.#trouble) return;
    const awayMs = clock.now() - this.#trouble.since;
    this.#trouble = undefined;
    log.info({ store: name, awayMs }, 'The store answers again.');
  }

  #failed(error: StoreError): StoreError {
    const { clock, log, name } = this.#parts;
    this.#failure = error;
    if (error.kind === 'unreachable' && !this.#trouble && !this.#isClosed) {
      this.#trouble = { since: clock.now(), reason: error.message };
      log.warn({ store: name, err: error.cause }, error.message);
    }
    return error;
  }
}

export function unreachable(name: string, reason: string, cause?: unknown): StoreError {
  const message = `The store ${name} cannot be reached (${reason}). Check that its server runs and that Atelier's machine may connect to it.`;
  return new StoreError('unreachable', message, cause);
}
