import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { KeyvSqlite, type SqliteDriver } from '@keyv/sqlite';
import { RecentMap } from '../../../lib/recent-map.ts';
import { StoreError, type StoreErrorKind } from '../../tasks/store-error.ts';
import {
  type Backend,
  brokenStoreError,
  type Change,
  closedError,
  type Durability,
  inUseError,
  type NamespacedRow,
  type Range,
  type Row,
} from '../backend.ts';

// https://www.sqlite.org/rescode.html: the lowest byte is the primary code.
const PRIMARY_CODE = 0xff;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
/** The file in which the connections to a database share memory cannot grow. */
const SQLITE_IOERR_SHMSIZE = 4_874;

export function sqliteFailure(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const failure = (kind: StoreErrorKind, message: string): StoreError => new StoreError(kind, message, error);
  switch (sqliteCode(error)) {
    case SQLITE_FULL:
    case 'ENOSPC':
      return failure('full', `The disk of the store ${file} is full. Free some space; nothing stored so far is lost.`);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return failure(
        'locked',
        `The store ${file} is locked by another program. Close that program (such as a database browser or a backup) and try again.`,
      );
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return failure(
        'corrupt',
        `The store ${file} is damaged or not a database. Stop Atelier and move the file elsewhere, then run npm run restore -- <file> with a backup; if you have none, start Atelier, which will create a new store.`,
      );
    case SQLITE_IOERR:
      return new StoreError(
        'failed',
        `The disk of the store ${file} cannot be read or written. Check its space, its connection and its health, then start Atelier again.`,
      );
    case SQLITE_CANTOPEN:
    case 'EEXIST':
    case 'EISDIR':
    case 'ENOENT':
    case 'ENOTDIR':
      return cannotOpenError(file);
    case SQLITE_READONLY:
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StoreError(
        'failed',
        `The store ${file} cannot be written. Check that Atelier's user owns the file and its folder, and that the disk is not mounted read-only.`,
      );
    default:
      return brokenStoreError(file, error);
  }
}

const cannotOpenError = (file: string): StoreError =>
  new StoreError(
    'failed',
    `The store ${file} cannot be opened. Check that it is a file, and that Atelier's user can read and write it and its folder.`,
  );

/** The primary code of SQLite, or that of the system. */
export function sqliteCode(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number')
    return error.errcode === SQLITE_IOERR_SHMSIZE ? SQLITE_FULL : error.errcode & PRIMARY_CODE;
  return 'code' in error ? error.code : undefined;
}

// Tasks contain prompts and, for a quarter of an hour, tokens that allow replies in the bot's name.
const OWNER_ONLY_FOLDER_MODE = 0o700;
const OWNER_ONLY_FILE_MODE = 0o600;
const PERMISSION_BITS = 0o777;

/** The files that SQLite creates next to a database in WAL mode. */
const COMPANION_SUFFIXES = ['-wal', '-shm', '-journal'] as const;

/** Creates the folder and resolves links, so that two paths to the same store are recognised as one. */
export function resolvePath(file: string): string {
  makeFolder(dirname(file));
  // SQLite would only report an I/O error.
  if (existsSync(file) && statSync(file).isDirectory()) throw cannotOpenError(file);
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}

/** Node's own recursive `mkdir` never ends in a folder such as `/proc`, where nothing can be created. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: OWNER_ONLY_FOLDER_MODE });
}

/**
 * Restricts a file to its owner, creating it if it does not exist. Never opens an existing file: closing it would drop every lock of this
 * process on it (POSIX).
 */
export function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'wx', OWNER_ONLY_FILE_MODE));
  for (const path of [file, ...COMPANION_SUFFIXES.map((suffix) => file + suffix)])
    if (existsSync(path) && !isPrivate(path)) chmodSync(path, permissionsOf(path) & OWNER_ONLY_FILE_MODE);
}

export const isPrivate = (file: string): boolean => (permissionsOf(file) & ~OWNER_ONLY_FILE_MODE) === 0;

const permissionsOf = (path: string): number => statSync(path).mode & PERMISSION_BITS;

/**
 * Reserves the store for this process until the returned function is called or the process ends, however it ends.
 *
 * The lock is an open exclusive transaction on an empty SQLite file: SQLite handles the locks of each platform, even between two holders in one process, and
 * the operating system releases them when a process is killed.
 */
export function lockStore(file: string): () => void {
  const lockFile = `${file}.lock`;
  let database: DatabaseSync | undefined;
  try {
    makePrivate(lockFile);
    database = new DatabaseSync(lockFile);
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    const failure = sqliteFailure(error, file);
    if (failure.kind !== 'locked') throw failure;
    throw inUseError(file, error);
  }
  const lockDatabase = database;
  return () => {
    if (lockDatabase.isOpen) lockDatabase.close();
  };
}

export const TABLE = 'atelier';

/** keyv's own table, but with an index in which the rows of a namespace are next to each other: the many of one would slow down reading all of another. */
const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS "${TABLE}" (
    key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) NOT NULL DEFAULT '', expires BIGINT DEFAULT NULL,
    UNIQUE (namespace, key)
  )`;

/** A backup or a database browser may lock the database for a moment. */
const BUSY_TIMEOUT_MS = 5_000;
/** The pause between attempts meanwhile: SQLite's own waiting would block the event loop. */
const BUSY_RETRY_MS = 20;

// https://www.sqlite.org/pragma.html#pragma_synchronous, in WAL mode
const SYNCHRONOUS: Readonly<Record<Durability, string>> = { immediate: 'FULL', deferred: 'NORMAL' };

/** Preparing a statement takes longer than running it. */
const MAX_PREPARED_STATEMENTS = 200;

const WRITE = `
  INSERT INTO "${TABLE}" (namespace, key, value, expires) VALUES (?, ?, ?, ?)
  ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires = excluded.expires`;
const REMOVE = `DELETE FROM "${TABLE}" WHERE namespace = ? AND key = ?`;

const isBindable = (value: unknown): value is SQLInputValue =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';

/** One connection for all namespaces. It is the adapters' driver, so that errors become `StoreError`s while SQLite's error code is still known. */
export class SqliteBackend implements Backend {
  readonly name: string;
  readonly #database: DatabaseSync;
  readonly #busyTimeoutMs: number;
  readonly #statements = new RecentMap<string, StatementSync>(MAX_PREPARED_STATEMENTS);
  #anyAdapter: KeyvSqlite | undefined;
  #durability: Durability | undefined;

  constructor(file: string, options: { busyTimeoutMs?: number | undefined; readOnly?: boolean } = {}) {
    const { busyTimeoutMs = BUSY_TIMEOUT_MS, readOnly = false } = options;
    this.name = file;
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly });
      if (!readOnly) database.exec(`PRAGMA journal_mode = WAL; ${CREATE_TABLE}; PRAGMA busy_timeout = 0`);
    } catch (error) {
      database?.close();
      throw sqliteFailure(error, file);
    }
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  adapter(namespace: string): KeyvSqlite {
    // The adapters share the connection, so none of them closes it.
    const query = (sql: string, ...values: unknown[]) => this.#whenUnlocked(() => this.rows(sql, ...values));
    const driver: SqliteDriver = { name: 'custom', connect: async () => ({ query, close: async () => undefined }) };
    const adapter = new KeyvSqlite({ table: TABLE, driver });
    adapter.namespace = namespace;
    this.#anyAdapter ??= adapter;
    return adapter;
  }

  /** Uses the table's own index. */
  async range(namespace: string, { after, before, isReversed, max }: Range): Promise<Row[]> {
    const order = isReversed ? 'DESC' : 'ASC';
    const where = 'namespace = ? AND key > ? AND key < ? AND (expires IS NULL OR expires > ?)';
    const sql = `SELECT key, value FROM "${TABLE}" WHERE ${where} ORDER BY key ${order} LIMIT ?`;
    const rows = await this.#whenUnlocked(() => this.rows(sql, namespace, after, before, Date.now(), max));
    return rows.map(({ key, value }) => ({ key: String(key), text: String(value) }));
  }

  clearExpired(): Promise<void> {
    return (this.#anyAdapter ?? this.adapter('')).clearExpired();
  }

  write(changes: readonly Change[], durability: Durability): Promise<void> {
    return this.#whenUnlocked(() => this.#commit(changes, durability));
  }

  #commit(changes: readonly Change[], durability: Durability): void {
    if (this.#durability !== durability) this.rows(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}`);
    this.#durability = durability;
    this.rows('BEGIN IMMEDIATE');
    try {
      for (const { namespace, key, text, expires = null } of changes)
        if (text === undefined) this.rows(REMOVE, namespace, key);
        else this.rows(WRITE, namespace, key, text, expires);
      this.rows('COMMIT');
    } catch (error) {
      // After some failures, such as a full disk, SQLite has ended the transaction itself.
      if (this.#database.isOpen && this.#database.isTransaction) this.rows('ROLLBACK');
      throw error;
    }
  }

  /** Repeats work that another program's lock prevented, of which nothing was done. */
  async #whenUnlocked<T>(work: () => T): Promise<T> {
    for (const endsAt = performance.now() + this.#busyTimeoutMs; ; await setTimeout(BUSY_RETRY_MS))
      try {
        return work();
      } catch (error) {
        const isLocked = error instanceof StoreError && error.kind === 'locked';
        if (!isLocked || performance.now() >= endsAt) throw error;
      }
  }

  /** Reads in one transaction, which does not see what others write meanwhile. Nothing else may use this connection until the transaction ends. */
  async *everyRow(namespaces: readonly string[]): AsyncGenerator<NamespacedRow> {
    this.rows('BEGIN');
    try {
      const placeholders = namespaces.map(() => '?').join();
      const sql = `SELECT namespace, key, value FROM "${TABLE}" WHERE namespace IN (${placeholders}) ORDER BY rowid`;
      for (const { namespace, key, value } of this.#database.prepare(sql).iterate(...namespaces))
        yield { namespace: String(namespace), key: String(key), text: String(value) };
    } catch (error) {
      throw sqliteFailure(error, this.name);
    } finally {
      if (this.#database.isOpen) this.rows('COMMIT');
    }
  }

  rows(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    try {
      if (!this.#database.isOpen) throw closedError(this.name);
      if (!values.every(isBindable)) throw new TypeError('The adapter binds only text, numbers and null.');
      return this.#prepared(sql).all(...values);
    } catch (error) {
      throw sqliteFailure(error, this.name);
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
