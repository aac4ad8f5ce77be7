import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { SqliteDriver } from '@keyv/sqlite';
import { StoreError, storeFailure } from './store-error.ts';

/** A backup or a database browser may hold the database for a moment. */
const BUSY_TIMEOUT_MS = 5_000;

export interface ConnectionOptions {
  busyTimeoutMs?: number | undefined;
  readOnly?: boolean | undefined;
}

/**
 * `at-once`: on the disk before it is believed, for an order that is paid for must survive a power cut. `soon`: on the disk with the next
 * write that is there at once, and never out of order; it saves waiting for the disk where what is lost can be made again.
 */
export type Durability = 'at-once' | 'soon';

// https://www.sqlite.org/pragma.html#pragma_synchronous, in WAL mode
const SYNCHRONOUS: Readonly<Record<Durability, string>> = { 'at-once': 'FULL', soon: 'NORMAL' };

/**
 * The one connection that all namespaces share. It is handed to the adapters as their driver: so a failure becomes a `StoreError` where its
 * code is still known, and the namespaces never wait for each other's locks.
 */
export class Connection {
  readonly file: string;
  readonly #database: DatabaseSync;
  #durability: Durability | undefined;
  #failure: StoreError | undefined;

  constructor(file: string, { busyTimeoutMs = BUSY_TIMEOUT_MS, readOnly = false }: ConnectionOptions = {}) {
    this.file = file;
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

  driverFor(durability: Durability): SqliteDriver {
    const query = async (sql: string, ...values: unknown[]) => {
      this.#commit(durability);
      return this.rows(sql, ...values);
    };
    // The adapters share the connection, so none of them ends it.
    return { name: 'custom', connect: async () => ({ query, close: async () => undefined }) };
  }

  /** The latest failure: the adapter tells of a broken iteration in words only. */
  get failure(): StoreError | undefined {
    return this.#failure;
  }

  rows(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    try {
      if (!this.#database.isOpen) throw new StoreError('failed', `The store ${this.file} is closed.`);
      // The adapter binds nothing but text, whole numbers and null.
      return this.#database.prepare(sql).all(...(values as SQLInputValue[]));
    } catch (error) {
      this.#failure = storeFailure(error, this.file);
      throw this.#failure;
    }
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
