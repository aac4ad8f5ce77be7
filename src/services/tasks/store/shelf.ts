import { setImmediate } from 'node:timers/promises';
import { KeyvSqlite } from '@keyv/sqlite';
import { Keyv } from 'keyv';
import { isRecord } from '../../../lib/exact-json.ts';
import type { Connection, Durability } from './connection.ts';
import { StoreError } from './store-error.ts';

export const TABLE = 'atelier';

/** So many rows at once while going through a namespace; the adapter's own ten make it slow beyond measure. */
const ROWS_AT_ONCE = 1_000;

/** Stands for a row whose text nobody can read, where throwing would end the way through all the others. */
export class Unreadable {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The adapter wraps every value once more, so a row without a `value` inside is none of ours. */
export const rowFormat = {
  stringify: (row: unknown): string => JSON.stringify(row),
  parse<T>(text: string): T {
    try {
      const row: unknown = JSON.parse(text);
      if (isRecord(row) && 'value' in row) return row as T;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    return { value: new Unreadable(text) } as T;
  },
};

/** One namespace of the store. Whatever it cannot do, it throws as a `StoreError`. */
export class Shelf {
  readonly name: string;
  readonly #connection: Connection;
  readonly #adapter: KeyvSqlite;
  readonly #keyv: Keyv;

  /** Each namespace has an adapter of its own: two on one adapter would overwrite each other. */
  constructor(name: string, connection: Connection, durability: Durability = 'at-once') {
    this.name = name;
    this.#connection = connection;
    this.#adapter = new KeyvSqlite({
      table: TABLE,
      iterationLimit: ROWS_AT_ONCE,
      driver: connection.driverFor(durability),
    });
    // Nothing listens for `error`, for then failures would be told to the listener and not thrown.
    this.#keyv = new Keyv({ store: this.#adapter, namespace: name, serialization: rowFormat });
  }

  get(key: string): Promise<unknown> {
    return this.#keyv.get(key);
  }

  has(key: string): Promise<boolean> {
    return this.#keyv.has(key);
  }

  async getMany(keys: readonly string[]): Promise<Map<string, unknown>> {
    if (keys.length === 0) return new Map();
    const values = await this.#keyv.getMany([...keys]);
    return new Map(keys.flatMap((key, index) => (values[index] === undefined ? [] : [[key, values[index]] as const])));
  }

  async put(key: string, value: unknown, lastsMs?: number): Promise<void> {
    this.#mustHaveWorked(await this.#keyv.set(key, value, lastsMs));
  }

  async putMany(entries: readonly { key: string; value: unknown }[]): Promise<void> {
    const written = await this.#keyv.setMany(entries.map((entry) => ({ ...entry })));
    this.#mustHaveWorked(written.every(Boolean));
  }

  async delete(...keys: string[]): Promise<void> {
    if (keys.length > 0) await this.#keyv.deleteMany(keys);
  }

  async *entries(): AsyncGenerator<[key: string, value: unknown]> {
    try {
      for await (const [key, value] of this.#keyv.iterator()) yield [key, value];
    } catch (error) {
      // The adapter wraps what went wrong in a new error, without its code.
      throw error instanceof StoreError ? error : (this.#connection.failure ?? error);
    }
  }

  /**
   * In the order of their keys, from `first` on and before `end`. keyv knows no ranges; here each page is one way along the table's own index.
   * What is written meanwhile may be among them or not.
   */
  async *between(first: string, end: string): AsyncGenerator<[key: string, value: unknown]> {
    let [after, isFirst] = [first, true];
    for (;;) {
      const rows = this.#connection.rows(
        `SELECT key, value FROM "${TABLE}" WHERE key ${isFirst ? '>=' : '>'} ? AND key < ? AND namespace = ? ORDER BY key LIMIT ?`,
        ...[after, end, this.name, ROWS_AT_ONCE],
      );
      for (const row of rows) yield [String(row.key), rowFormat.parse<{ value: unknown }>(String(row.value)).value];
      if (rows.length < ROWS_AT_ONCE) return;
      [after, isFirst] = [String(rows.at(-1)?.key), false];
      await setImmediate();
    }
  }

  /** Removes every row of the whole store whose time is over. */
  clearExpired(): Promise<void> {
    return this.#adapter.clearExpired();
  }

  #mustHaveWorked(written: boolean): void {
    if (!written) throw new StoreError('failed', `The store ${this.#connection.file} refused a write.`);
  }
}
