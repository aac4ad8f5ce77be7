import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { TaskKind } from './kind-spec.ts';

/** After this time, one task is let through to check whether the account has credit again. */
export const NO_CREDIT_MS = 2 * 60_000;

interface CreditParts {
  clock: Clock;
  /** Notifies the operator. */
  notify(kind: TaskKind): void;
}

/** Remembers the kinds of tasks that the gateway refused because the account has no credit left for them. */
export class Credit {
  readonly #parts: CreditParts;
  readonly #emptyUntil = new Map<TaskKind, number>();

  constructor(parts: CreditParts) {
    this.#parts = parts;
  }

  assertAvailable(kind: TaskKind): void {
    if ((this.#emptyUntil.get(kind) ?? 0) > this.#parts.clock.now()) throw new Refusal('refusals.noCredit');
  }

  markUsedUp(kind: TaskKind): void {
    const { clock, notify } = this.#parts;
    this.#emptyUntil.set(kind, clock.now() + NO_CREDIT_MS);
    notify(kind);
  }

  markAvailable(kind: TaskKind): void {
    this.#emptyUntil.delete(kind);
  }
}
