import { Refusal } from './refusal.ts';

/** Several refusals of one form or command, which are named together. Its key is that of the first one. */
export class SeveralRefusals extends Refusal {
  readonly all: readonly Refusal[];

  constructor(first: Refusal, others: readonly Refusal[]) {
    super(first.key, first.variables);
    this.all = [first, ...others];
  }
}

/** Collects the mistakes in several values, so that a member can correct all of them at once. */
export class Mistakes {
  readonly #refusals: Refusal[] = [];

  /** Returns the parsed value; the fallback if it is refused. */
  collect<Value, Fallback>(fallback: Fallback, parse: () => Value): Value | Fallback {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.add(error);
      return fallback;
    }
  }

  add(refusal: Refusal): void {
    this.#refusals.push(...(refusal instanceof SeveralRefusals ? refusal.all : [refusal]));
  }

  throwIfAny(): void {
    const [first, ...others] = this.#refusals;
    if (first) throw others.length === 0 ? first : new SeveralRefusals(first, others);
  }
}
