import { type Amount, minus, plus, ZERO } from './decimal.ts';

export interface UsageRow {
  /** A day in UTC, `YYYY-MM-DD`. */
  readonly date: string;
  readonly model: string;
  readonly requests: number;
  readonly amount: Amount;
}

export interface UsageEntry {
  readonly key: string;
  readonly model: string;
  readonly at: number;
  readonly amount: Amount;
}

/** The usage of each key by day and model, in exact decimal amounts. */
export class UsageLedger {
  readonly #rowsByKey = new Map<string, Map<string, UsageRow>>();

  charge({ key, model, at, amount }: UsageEntry): void {
    this.#updateRow(key, model, at, (row) => ({
      ...row,
      requests: row.requests + 1,
      amount: plus(row.amount, amount),
    }));
  }

  /** Refunds the amount on the day of the charge; the request still counts. */
  refund({ key, model, at, amount }: UsageEntry): void {
    this.#updateRow(key, model, at, (row) => ({ ...row, amount: minus(row.amount, amount) }));
  }

  /** The rows from one day to another, inclusive. */
  rows(key: string, from = '', to = '9999-12-31'): readonly UsageRow[] {
    return [...(this.#rowsByKey.get(key)?.values() ?? [])]
      .filter((row) => row.date >= from && row.date <= to)
      .sort((one, other) => one.date.localeCompare(other.date) || one.model.localeCompare(other.model));
  }

  total(key: string, from?: string, to?: string): Amount {
    return this.rows(key, from, to).reduce((sum, row) => plus(sum, row.amount), ZERO);
  }

  #updateRow(key: string, model: string, at: number, change: (row: UsageRow) => UsageRow): void {
    const rows = this.#rowsByKey.get(key) ?? new Map<string, UsageRow>();
    this.#rowsByKey.set(key, rows);
    const date = dayOf(at);
    const name = `${date} ${model}`;
    rows.set(name, change(rows.get(name) ?? { date, model, requests: 0, amount: ZERO }));
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
