import { randomBytes } from 'node:crypto';
import type { AppContext } from '../../lib/app-context.ts';
import { pause } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { errorFacts, type FailureKind, failureKindOf } from '../outbox/errors.ts';
import type { MessageRoute } from '../outbox/ways.ts';

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

export interface AttemptsContext extends AppContext {
  id: string;
  stopping: AbortSignal;
}

/** The attempts to do one piece of work, with pauses in between. A different obstacle starts again with the first pause. */
export class Attempts {
  readonly #context: AttemptsContext;
  #lastObstacle: Obstacle | undefined;
  #repeats = 0;

  constructor(context: AttemptsContext) {
    this.#context = context;
  }

  /** Returns when the work is done or the bot stops. `bugMessage` is the log message for a bug. */
  async retryUntilDone(work: () => Promise<unknown>, bugMessage: string): Promise<void> {
    do {
      try {
        await work();
        return;
      } catch (error) {
        if (!(error instanceof RetryLater))
          this.#context.log.error({ task: this.#context.id, reference: newReference(), err: error }, bugMessage);
        await this.wait(error instanceof RetryLater ? error : new RetryLater('unprepared', error));
      }
    } while (!this.#context.stopping.aborted);
  }

  async wait({ obstacle, cause }: RetryLater): Promise<void> {
    this.#repeats = obstacle === this.#lastObstacle ? this.#repeats + 1 : 0;
    this.#lastObstacle = obstacle;
    const { first, longest } = PAUSES[obstacle];
    const { id, clock, log, stopping } = this.#context;
    const waitMs = Math.min(longest, first * 2 ** this.#repeats);
    const facts = { task: id, obstacle, waitMs, ...errorFacts(cause) };
    if (this.#repeats === 0) log.warn(facts, 'The delivery of a task was delayed and will be retried.');
    if (!stopping.aborted) await pause(clock, waitMs, stopping);
  }

  /** The result of a request to Discord, or why Discord will never accept it. Throws `RetryLater` after any other failure. */
  async request<T>(
    by: MessageRoute['by'] | 'reply',
    failure: string,
    work: () => Promise<T>,
  ): Promise<T | FailureKind> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RetryLater) throw error;
      if (failureKindOf(error, by) === 'later') throw new RetryLater('unreachable', error);
      return logFailure(this.#context, error, by, failure);
    }
  }
}

export function logFailure(
  { id, log }: AttemptsContext,
  error: unknown,
  by: MessageRoute['by'] | 'reply',
  failure: string,
): FailureKind {
  const trouble = failureKindOf(error, by);
  const facts = { task: id, by, trouble, ...errorFacts(error) };
  if (trouble === 'malformed')
    log.error({ ...facts, reference: newReference() }, 'Discord refused a message as malformed.');
  else if (trouble === 'too-large') log.warn(facts, 'A result is larger than Discord allows.');
  else log.info(facts, failure);
  return trouble;
}

/** Reads or changes what is stored. Throws a refusal if it no longer exists, and `RetryLater` if the store fails. */
export async function withStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Refusal ? error : new RetryLater('unstored', error);
  }
}
