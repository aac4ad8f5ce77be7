import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { KeyvSqlite, type SqliteDriver } from '@keyv/sqlite';
import { type Backend, type Durability, type Range, type Row, rowsAtOnce } from './backend.ts';
import { StoreError, storeFailure } from './store-error.ts';

export const TABLE = 'atelier';

/** A backup or a database browser may hold the database for a moment. */
const BUSY_TIMEOUT_MS = 5_000;

export interface ConnectionOptions {
  busyTimeoutMs?: number | undefined;
  readOnly?: boolean | undefined;
}

// https://www.sqlite.org/pragma.html#pragma_synchronous, in WAL mode
const SYNCHRONOUS: Readonly<Record<Durability, string>> = { 'at-once': 'FULL', soon: 'NORMAL' };

/**
 * A store in an SQLite file, or in memory: the one connection that all namespaces share. It is handed to the adapters as their driver: so a
 * failure becomes a `StoreError` where its code is still known, and the namespaces never wait for each other's locks.
 */
export class Connection implements Backend {
  readonly name: string;
  readonly #database: DatabaseSync;
  /** What concerns all namespaces is asked of any. */
  #anyAdapter: KeyvSqlite | undefined;
  #durability: Durability | undefined;
  #failure: StoreError | undefined;

  constructor(file: string, { busyTimeoutMs = BUSY_TIMEOUT_MS, readOnly = false }: ConnectionOptions = {}) {
    this.name = file;
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly });
      if (!readOnly) database.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      database?.close();
      throw storeFailure(error, file);
    }
    this.#database = database;
  }

  adapter(namespace: string, durability: Durability): KeyvSqlite {
    const driver = this.#driverFor(durability);
    const adapter = new KeyvSqlite({ table: TABLE, iterationLimit: rowsAtOnce(namespace), driver });
    this.#anyAdapter ??= adapter;
    return adapter;
  }

  get failure(): StoreError | undefined {
    return this.#failure;
  }

  /** One way along the table's own index. */
  async range(namespace: string, { from, end, most }: Range): Promise<Row[]> {
    const [comparison, start] = 'first' in from ? ['>=', from.first] : ['>', from.after];
    const rows = this.rows(
      `SELECT key, value FROM "${TABLE}" WHERE key ${comparison} ? AND key < ? AND namespace = ? ORDER BY key LIMIT ?`,
      ...[start, end, namespace, most],
    );
    return rows.map(({ key, value }) => ({ key: String(key), text: String(value) }));
  }

  clearExpired(): Promise<void> {
    return (this.#anyAdapter ?? this.adapter('', 'at-once')).clearExpired();
  }

  async countExpired(now: number): Promise<number> {
    const [row] = this.rows(`SELECT count(*) AS count FROM "${TABLE}" WHERE expires <= ?`, now);
    return Number(row?.count);
  }

  rows(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    try {
      if (!this.#database.isOpen) throw new StoreError('failed', `The store ${this.name} is closed.`);
      // The adapter binds nothing but text, whole numbers and null.
      return this.#database.prepare(sql).all(...(values as SQLInputValue[]));
    } catch (error) {
      this.#failure = storeFailure(error, this.name);
      throw this.#failure;
    }
  }

  #driverFor(durability: Durability): SqliteDriver {
    const query = async (sql: string, ...values: unknown[]) => {
      this.#commit(durability);
      return this.rows(sql, ...values);
    };
    // The adapters share the connection, so none of them ends it.
    return { name: 'custom', connect: async () => ({ query, close: async () => undefined }) };
  }

  #commit(durability: Durability): void {
    if (this.#durability === durability) return;
    this.rows(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}`);
    this.#durability = durability;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
