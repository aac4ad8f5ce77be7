import { difference, sumOf } from '../../../lib/decimals.ts';
import { amountOf, type LedgerEntry, standingOf } from '../entry.ts';
import { limitedKindsOf } from '../limits.ts';
import type { Calendar, Period } from '../periods.ts';

export interface Use {
  tasks: number;
  /** The total of the tasks with a known price; exact decimal text. */
  amount: string;
}

interface Counts {
  uses: Map<string, Use>;
  endsAt: number;
}

const NO_USE: Use = { tasks: 0, amount: '0' };
export const ALL_KINDS = '';

/** Sums of the ledger's entries by scope and period. They are derived from the entries; nothing here is stored. */
export class Tally {
  readonly #calendar: Calendar;
  /** Only periods with a limit are counted: otherwise the bot would have to read months of entries when it starts. */
  readonly periods: ReadonlySet<Period>;
  readonly #counts = new Map<string, Map<string, Counts>>();
  readonly #openTasks = new Map<string, number>();
  #prunedBefore = Number.NEGATIVE_INFINITY;

  constructor(calendar: Calendar, periods: ReadonlySet<Period>) {
    this.#calendar = calendar;
    this.periods = periods;
  }

  /** Counts an entry's current content instead of its previous content; `undefined` counts nothing. */
  replace(previous: LedgerEntry | undefined, current: LedgerEntry | undefined, scopes: readonly string[]): void {
    if (previous) this.#add(previous, scopes, -1);
    if (current) this.#add(current, scopes, 1);
  }

  use(scope: string, spanKey: string, kind = ALL_KINDS): Use {
    return this.#counts.get(scope)?.get(spanKey)?.uses.get(kind) ?? NO_USE;
  }

  /** Everything that a scope has used, by period and kind. */
  usesOf(scope: string): Record<string, Record<string, Use>> {
    const spans = [...(this.#counts.get(scope) ?? [])];
    return Object.fromEntries(spans.map(([key, { uses }]) => [key, Object.fromEntries(uses)]));
  }

  openTasks(scope: string): number {
    return this.#openTasks.get(scope) ?? 0;
  }

  /** Drops periods that ended before this time. Called for every request, but rarely finds anything to remove. */
  prune(cutoff: number): void {
    if (cutoff === this.#prunedBefore) return;
    this.#prunedBefore = cutoff;
    for (const [scope, spans] of this.#counts) {
      for (const [key, { endsAt }] of spans) if (endsAt < cutoff) spans.delete(key);
      if (spans.size === 0) this.#counts.delete(scope);
    }
  }

  #add(entry: LedgerEntry, scopes: readonly string[], sign: 1 | -1): void {
    const standing = standingOf(entry);
    if (standing === 'refunded') return;
    const { amount = '0' } = amountOf(entry) ?? {};
    const currentSpans = this.#calendar.spansOf(entry.at);
    for (const scope of scopes) {
      if (standing === 'reserved') this.#addOpen(scope, sign);
      for (const period of this.periods) {
        const { key, endsAt } = currentSpans[period];
        if (endsAt < this.#prunedBefore) continue;
        const spans = this.#counts.get(scope) ?? new Map<string, Counts>();
        const counts = spans.get(key) ?? { uses: new Map<string, Use>(), endsAt };
        for (const kind of [ALL_KINDS, ...limitedKindsOf(entry.kind)])
          counts.uses.set(kind, addTask(counts.uses.get(kind), amount, sign));
        spans.set(key, counts);
        this.#counts.set(scope, spans);
      }
    }
  }

  #addOpen(scope: string, sign: 1 | -1): void {
    const count = this.openTasks(scope) + sign;
    if (count === 0) this.#openTasks.delete(scope);
    else this.#openTasks.set(scope, count);
  }
}

export const sumOfUses = (uses: readonly Use[]): Use => ({
  tasks: uses.reduce((sum, { tasks }) => sum + tasks, 0),
  amount: sumOf(uses.map(({ amount }) => amount)) ?? '0',
});

const addTask = ({ tasks, amount }: Use = NO_USE, taskAmount: string, sign: 1 | -1): Use => ({
  tasks: tasks + sign,
  amount: sign === 1 ? (sumOf([amount, taskAmount]) ?? '0') : difference(amount, taskAmount),
});
