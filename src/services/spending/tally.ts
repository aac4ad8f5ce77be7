import { difference, sumOf } from '../../lib/decimals.ts';
import { amountOf, type Entry, standingOf } from '../ledger/entry.ts';
import type { Calendar, Period } from './periods.ts';

/** What was used in one period. */
export interface Use {
  tasks: number;
  /** Of the tasks with a known price; exact decimal text. */
  amount: string;
}

/** What is counted apart. */
export interface Counted {
  periods: readonly Period[];
  kinds: ReadonlySet<string>;
}

interface Counts {
  /** In all, and by kind. */
  uses: Map<string, Use>;
  endsAt: number;
}

const NOTHING: Use = { tasks: 0, amount: '0' };
const ALL_KINDS = '';

/** Sums of the ledger's entries by scope and period. They follow the entries: nothing here is stored. */
export class Tally {
  readonly #calendar: Calendar;
  readonly #counted: Counted;
  readonly #counts = new Map<string, Counts>();
  /** Tasks that have not ended, by scope. */
  readonly #open = new Map<string, number>();
  #prunedBefore = Number.NEGATIVE_INFINITY;

  constructor(calendar: Calendar, counted: Counted) {
    this.#calendar = calendar;
    this.#counted = counted;
  }

  /** Replaces what an entry counted before; `undefined` counted nothing. */
  replace(before: Entry | undefined, after: Entry | undefined, scopes: readonly string[]): void {
    if (before) this.#add(before, scopes, -1);
    if (after) this.#add(after, scopes, 1);
  }

  /** In the period that a moment belongs to, of one kind or of all. */
  use(scope: string, spanKey: string, kind = ALL_KINDS): Use {
    return this.#counts.get(`${scope} ${spanKey}`)?.uses.get(kind) ?? NOTHING;
  }

  open(scope: string): number {
    return this.#open.get(scope) ?? 0;
  }

  /** Forgets periods that no limit looks at any more. Every order asks for it, and seldom is there anything new. */
  prune(before: number): void {
    if (before === this.#prunedBefore) return;
    this.#prunedBefore = before;
    for (const [key, { endsAt }] of this.#counts) if (endsAt < before) this.#counts.delete(key);
  }

  #add(entry: Entry, scopes: readonly string[], sign: 1 | -1): void {
    const standing = standingOf(entry);
    if (standing === 'refunded') return;
    const { amount = '0' } = amountOf(entry) ?? {};
    const spans = this.#calendar.spansOf(entry.at);
    const kinds = this.#counted.kinds.has(entry.kind) ? [ALL_KINDS, entry.kind] : [ALL_KINDS];
    for (const scope of scopes) {
      if (standing === 'reserved') this.#addOpen(scope, sign);
      for (const period of this.#counted.periods) {
        const { key, endsAt } = spans[period];
        if (endsAt < this.#prunedBefore) continue;
        const name = `${scope} ${key}`;
        const counts = this.#counts.get(name) ?? { uses: new Map<string, Use>(), endsAt };
        for (const kind of kinds) counts.uses.set(kind, added(counts.uses.get(kind), amount, sign));
        this.#counts.set(name, counts);
      }
    }
  }

  #addOpen(scope: string, sign: 1 | -1): void {
    const count = this.open(scope) + sign;
    if (count === 0) this.#open.delete(scope);
    else this.#open.set(scope, count);
  }
}

const added = ({ tasks, amount }: Use = NOTHING, more: string, sign: 1 | -1): Use => ({
  tasks: tasks + sign,
  amount: sign === 1 ? (sumOf([amount, more]) ?? '0') : difference(amount, more),
});
