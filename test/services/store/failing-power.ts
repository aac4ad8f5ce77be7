import { SqliteBackend } from '../../../src/services/store/rows/sqlite.ts';

/** A real connection on which the power fails after this many writes. */
export class FailingBackend extends SqliteBackend {
  #writesLeft: number;

  constructor(file: string, writes: number) {
    super(file);
    this.#writesLeft = writes;
  }

  override rows(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    if (/^(INSERT|DELETE|UPDATE)/.test(sql.trim()) && this.#writesLeft-- <= 0) throw new Error('no power');
    return super.rows(sql, ...values);
  }
}
