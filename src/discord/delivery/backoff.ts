import { randomBytes } from 'node:crypto';
import { type Clock, pause } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { errorFacts } from '../outbox/errors.ts';

/** Thrown if nothing more can be done right now. The same work is retried later. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, cause: unknown) {
    super(obstacle, { cause });
    this.obstacle = obstacle;
  }
}

/** Short enough to be read aloud; it can be searched for in the log. */
export const newReference = (): string => randomBytes(4).toString('hex');

/** The first and the longest pause in milliseconds. Each one is twice as long as the previous one. */
const PAUSES = {
  /** Discord does not respond, or returns a 5xx. */
  unreachable: { first: 5_000, longest: 5 * 60_000 },
  unstored: { first: 5_000, longest: 5 * 60_000 },
  /** A bug, which rarely goes away by itself. */
  unprepared: { first: 30_000, longest: 10 * 60_000 },
};
type Obstacle = keyof typeof PAUSES;

/** Backs off between retries. A different cause starts again with the first pause. */
export class Backoff {
  readonly #parts: { id: string; clock: Clock; log: PlainLog; stopping: AbortSignal };
  #lastObstacle: Obstacle | undefined;
  #repeats = 0;

  constructor(parts: { id: string; clock: Clock; log: PlainLog; stopping: AbortSignal }) {
    this.#parts = parts;
  }

  /** Returns when the work is done or the bot stops. `bugMessage` is the log message for a bug. */
  async retryUntilDone(work: () => Promise<void>, bugMessage: string): Promise<void> {
    do {
      try {
        return await work();
      } catch (error) {
        await this.wait(error instanceof RetryLater ? error : this.#reportBug(error, bugMessage));
      }
    } while (!this.#parts.stopping.aborted);
  }

  async wait({ obstacle, cause }: RetryLater): Promise<void> {
    this.#repeats = obstacle === this.#lastObstacle ? this.#repeats + 1 : 0;
    this.#lastObstacle = obstacle;
    const { first, longest } = PAUSES[obstacle];
    const { id, clock, log, stopping } = this.#parts;
    const waitMs = Math.min(longest, first * 2 ** this.#repeats);
    const facts = { task: id, obstacle, waitMs, ...errorFacts(cause) };
    if (this.#repeats === 0) log.warn(facts, 'The delivery of a task was delayed and will be retried.');
    if (!stopping.aborted) await pause(clock, waitMs, stopping);
  }

  #reportBug(error: unknown, bugMessage: string): RetryLater {
    this.#parts.log.error({ task: this.#parts.id, reference: newReference(), err: error }, bugMessage);
    return new RetryLater('unprepared', error);
  }
}
