import { randomBytes } from 'node:crypto';
import { type Clock, pause } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { factsOf } from '../outbox/errors.ts';

type Hindrance =
  /** Discord does not answer, or has trouble of its own. */
  | 'unreachable'
  /** The store cannot take what has to be stored. */
  | 'unstored'
  /** A bug. */
  | 'unprepared';

/** Nothing more can be done now; the same again later. */
export class Hindered extends Error {
  override readonly name = 'Hindered';
  readonly hindrance: Hindrance;

  constructor(hindrance: Hindrance, cause: unknown) {
    super(hindrance, { cause });
    this.hindrance = hindrance;
  }
}

/** Short enough to be read out, so that a line of the log can be found again. */
export const reference = (): string => randomBytes(4).toString('hex');

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Each pause is twice as long as the one before. A bug rarely goes away by itself. */
const PAUSES: Readonly<Record<Hindrance, { first: number; longest: number }>> = {
  unreachable: { first: 5 * SECOND, longest: 5 * MINUTE },
  unstored: { first: 5 * SECOND, longest: 5 * MINUTE },
  unprepared: { first: 30 * SECOND, longest: 10 * MINUTE },
};

interface PatienceParts {
  id: string;
  clock: Clock;
  log: PlainLog;
  stopping: AbortSignal;
}

/** Waits before the same is tried again. With every change of what is in the way it begins anew. */
export class Patience {
  readonly #parts: PatienceParts;
  #met: Hindrance | undefined;
  #times = 0;

  constructor(parts: PatienceParts) {
    this.#parts = parts;
  }

  /** Comes back when it is done, or when the bot stops; then it goes on at the next start. `unexpected` tells the log of a bug. */
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
    this.#times = hindrance === this.#met ? this.#times + 1 : 0;
    this.#met = hindrance;
    const { first, longest } = PAUSES[hindrance];
    const waitMs = Math.min(longest, first * 2 ** this.#times);
    if (this.#times === 0)
      this.#parts.log.warn(
        { task: this.#parts.id, hindrance, waitMs, ...factsOf(cause) },
        'What is to be told of a task has to wait.',
      );
    if (!this.#parts.stopping.aborted) await pause(this.#parts.clock, waitMs, this.#parts.stopping);
  }

  #bug(error: unknown, unexpected: string): Hindered {
    this.#parts.log.error({ task: this.#parts.id, reference: reference(), err: error }, unexpected);
    return new Hindered('unprepared', error);
  }
}
