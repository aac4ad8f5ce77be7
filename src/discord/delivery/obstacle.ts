import { randomBytes } from 'node:crypto';
import { type Clock, pause } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { factsOf } from '../outbox/errors.ts';

/** Nothing more can be done now; the same work is retried later. */
export class Hindered extends Error {
  override readonly name = 'Hindered';
  readonly hindrance: Hindrance;

  constructor(hindrance: Hindrance, cause: unknown) {
    super(hindrance, { cause });
    this.hindrance = hindrance;
  }
}

/** Short enough to be read out, and found in the log. */
export const newReference = (): string => randomBytes(4).toString('hex');

/** Milliseconds. Each pause is twice as long as the one before. */
const PAUSES = {
  /** Discord does not respond, or returns a 5xx. */
  unreachable: { first: 5_000, longest: 5 * 60_000 },
  unstored: { first: 5_000, longest: 5 * 60_000 },
  /** A bug, which rarely disappears without a change. */
  unprepared: { first: 30_000, longest: 10 * 60_000 },
};
type Hindrance = keyof typeof PAUSES;

/** Backs off between retries. Another hindrance starts again from the first pause. */
export class Patience {
  readonly #parts: { id: string; clock: Clock; log: PlainLog; stopping: AbortSignal };
  #last: Hindrance | undefined;
  #repeats = 0;

  constructor(parts: { id: string; clock: Clock; log: PlainLog; stopping: AbortSignal }) {
    this.#parts = parts;
  }

  /** Returns when the work is done or the bot stops. `unexpected` is the log message for a bug. */
  async until(work: () => Promise<void>, unexpected: string): Promise<void> {
    do {
      try {
        return await work();
      } catch (error) {
        await this.with(error instanceof Hindered ? error : this.#bug(error, unexpected));
      }
    } while (!this.#parts.stopping.aborted);
  }

  async with({ hindrance, cause }: Hindered): Promise<void> {
    this.#repeats = hindrance === this.#last ? this.#repeats + 1 : 0;
    this.#last = hindrance;
    const { first, longest } = PAUSES[hindrance];
    const { id, clock, log, stopping } = this.#parts;
    const waitMs = Math.min(longest, first * 2 ** this.#repeats);
    const facts = { task: id, hindrance, waitMs, ...factsOf(cause) };
    if (this.#repeats === 0) log.warn(facts, 'The delivery of a task has to wait and is retried.');
    if (!stopping.aborted) await pause(clock, waitMs, stopping);
  }

  #bug(error: unknown, unexpected: string): Hindered {
    this.#parts.log.error({ task: this.#parts.id, reference: newReference(), err: error }, unexpected);
    return new Hindered('unprepared', error);
  }
}
