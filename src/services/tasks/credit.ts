import { type Clock, HOUR_MS } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { TasksLog } from './book.ts';
import type { TaskKind } from './task.ts';

/** After this time one order may find out whether the account has credit again. */
export const NO_CREDIT_MS = 2 * 60_000;

interface CreditParts {
  clock: Clock;
  log: TasksLog;
  /** Tells the operator; called at most once an hour for each kind. */
  tell(kind: TaskKind): Promise<void>;
}

/** Kinds of jobs that the gateway refused because the account has no credit left for them. */
export class Credit {
  readonly #parts: CreditParts;
  readonly #emptyUntil = new Map<TaskKind, number>();
  readonly #toldAt = new Map<TaskKind, number>();

  constructor(parts: CreditParts) {
    this.#parts = parts;
  }

  mustHave(kind: TaskKind): void {
    if ((this.#emptyUntil.get(kind) ?? 0) > this.#parts.clock.now()) throw new Refusal('refusals.noCredit');
  }

  markUsedUp(kind: TaskKind): void {
    const { clock, log, tell } = this.#parts;
    const now = clock.now();
    this.#emptyUntil.set(kind, now + NO_CREDIT_MS);
    const toldAt = this.#toldAt.get(kind);
    if (toldAt !== undefined && now - toldAt < HOUR_MS) return;
    this.#toldAt.set(kind, now);
    tell(kind).catch((error: unknown) =>
      log.warn({ kind, err: error }, 'The operator could not be notified that the account has no credit left.'),
    );
  }

  markEnough(kind: TaskKind): void {
    this.#emptyUntil.delete(kind);
  }
}
