import type { Clock } from '../../lib/clock.ts';
import type { StoreErrorKind } from './backend.ts';
import type { StoreUse } from './namespaces.ts';

interface StoreFailure {
  since: number;
  kind: StoreErrorKind;
}

/** Tracks whether the latest read from the store and the latest write to it succeeded. */
export class StoreHealth {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #failures = new Map<'reads' | 'writes', StoreFailure>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  record({ operation, failure }: Pick<StoreUse, 'operation' | 'failure'>): void {
    // A full disk can still be read.
    const direction = operation === 'read' ? 'reads' : 'writes';
    if (failure === undefined) this.#failures.delete(direction);
    else if (this.#failures.get(direction)?.kind !== failure)
      this.#failures.set(direction, { since: this.#clock.now(), kind: failure });
  }

  /** Undefined if the store works. */
  get failure(): StoreFailure | undefined {
    return this.#failures.get('writes') ?? this.#failures.get('reads');
  }
}
