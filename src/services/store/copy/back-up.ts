import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreErrorKind } from '../../tasks/store-error.ts';
import { errorText, IN_MEMORY, publicName, type StoreAddress, unsupportedError } from '../backend.ts';
import { namespaceNames } from '../namespaces.ts';
import { openReadOnly } from '../open-store.ts';
import type { ReadableStore, RemoteParts } from '../remote/open-remote.ts';
import { BACKUP_TABLE, refuseIncompleteRow, refuseNewer, SCHEMA_KEY } from '../rows/marks.ts';
import { makePrivate, SQLITE_FULL, sqliteCode } from '../rows/sqlite.ts';
import {
  BACKUP_TABLES,
  type BackupFacts,
  digestOfFacts,
  digestOfFile,
  FORMAT_VERSION,
  loadAge,
} from './backup-file.ts';
import { addingTo, copyRows, isMoveMark, type OnProgress, type PartitionRow, RowSums } from './copier.ts';

interface BackupOptions extends RemoteParts {
  /** The bot's version. */
  by: string;
  /** undefined: not encrypted. */
  passphrase?: string | undefined;
  onProgress?: OnProgress | undefined;
}

/** An encrypted backup is made in memory, which holds it twice for a moment. SQLite cannot pass on more than 2 GiB at once. */
const MAX_ENCRYPTED_BYTES = 2_000_000_000;
const PAGE_BYTES = 4_096;
const CHUNK_BYTES = 64 * 1024;

/**
 * Backs up a store that a bot may be using at the same time. The file gets its name once it is complete and on disk; if writing fails, nothing is left
 * behind.
 */
export async function backUpStore(
  address: StoreAddress,
  path: string,
  options: BackupOptions,
): Promise<{ file: string; rows: number; bytes: number; digest: string }> {
  const { passphrase } = options;
  const file = resolve(path);
  refuseExisting(file);
  const store = await openReadOnly(address, options);
  if (!store) throw missingStoreError(publicName(address));
  const temporaryFile = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`);
  let database: DatabaseSync | undefined;
  try {
    makePrivate(temporaryFile);
    database = new DatabaseSync(passphrase === undefined ? temporaryFile : IN_MEMORY);
    const rows = await fillDatabase(database, store, options);
    if (passphrase !== undefined) await writeFile(temporaryFile, await encrypt(database.serialize(), passphrase));
    database.close();
    const bytes = await sync(temporaryFile, 'r+');
    const digest = await digestOfFile(temporaryFile);
    refuseExisting(file);
    await rename(temporaryFile, file);
    await sync(dirname(file), 'r');
    return { file, rows, bytes, digest };
  } catch (error) {
    if (database?.isOpen) database.close();
    await rm(temporaryFile, { force: true });
    throw writeFailure(error, file, passphrase !== undefined);
  } finally {
    await store.close();
  }
}

/** Returns the number of rows. There is no journal on the disk, because an incomplete file is never used. */
async function fillDatabase(
  database: DatabaseSync,
  store: ReadableStore,
  { by, clock, passphrase, onProgress }: BackupOptions,
): Promise<number> {
  const at = clock.now();
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF`);
  if (passphrase !== undefined)
    database.exec(`PRAGMA max_page_count = ${Math.floor(MAX_ENCRYPTED_BYTES / PAGE_BYTES)}`);
  database.exec(`PRAGMA user_version = ${FORMAT_VERSION}; ${BACKUP_TABLES}`);
  const insert = database.prepare('INSERT INTO atelier_rows VALUES (?, ?, ?, ?)');
  const write = async (rows: readonly PartitionRow[]): Promise<void> => {
    database.exec('BEGIN');
    for (const { partition, namespace, key, text } of rows) insert.run(partition, namespace, key, text);
    database.exec('COMMIT');
  };
  const sums = new RowSums();
  const rowCount = await copyRows(addingTo(sums, rowsToKeep(store)), write, onProgress);
  const facts = JSON.stringify({ at, by, partitions: store.count, sums: sums.all() } satisfies BackupFacts);
  database.prepare(`INSERT INTO ${BACKUP_TABLE} VALUES (?, ?)`).run(facts, digestOfFacts(facts));
  return rowCount;
}

/** Throws if the store is incomplete, or if no bot has started on it. */
async function* rowsToKeep({ partitions }: ReadableStore): AsyncGenerator<PartitionRow> {
  let isMarked = false;
  for (const [partition, backend] of partitions)
    for await (const row of backend.everyRow(namespaceNames)) {
      if (isMoveMark(row.namespace, row.key)) {
        refuseIncompleteRow(backend.name, row.text);
        continue;
      }
      if (row.namespace === 'meta' && row.key === SCHEMA_KEY) {
        refuseNewer(backend.name, row.text);
        isMarked ||= partition === 0;
      }
      yield { partition, ...row };
    }
  if (!isMarked) throw missingStoreError(partitions.get(0)?.name ?? '');
}

async function encrypt(bytes: Uint8Array, passphrase: string): Promise<AsyncIterable<Uint8Array>> {
  const { Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(ReadableStream.from(chunksOf(bytes)));
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}

/** Returns the size. The name of a new file must survive a power cut too, so its folder is synchronized as well. */
async function sync(path: string, flags: 'r' | 'r+'): Promise<number> {
  await using handle = await open(path, flags);
  await handle.sync();
  return (await handle.stat()).size;
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw unsupportedError(`The file ${file} already exists. Choose another name for the backup.`);
}

const missingStoreError = (name: string): StoreError =>
  unsupportedError(`There is no Atelier store in ${name}, so there is nothing to back up. Check STORE_URL.`);

function writeFailure(error: unknown, file: string, isEncrypted: boolean): unknown {
  const failure = (kind: StoreErrorKind, message: string): StoreError => new StoreError(kind, message, error);
  if (error instanceof StoreError) return error;
  const code = sqliteCode(error);
  if (code === SQLITE_FULL && isEncrypted)
    return failure(
      'unsupported',
      'The store is too large for an encrypted backup, which can hold 2 GB. Back it up to an encrypted disk instead, without BACKUP_PASSPHRASE.',
    );
  switch (code) {
    case SQLITE_FULL:
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return failure(
        'full',
        `The disk is full, so no backup was written to ${file}. Free some space or choose another disk.`,
      );
    case 'ENOENT':
    case 'ENOTDIR':
      return failure('unsupported', `The folder of the backup ${file} does not exist. Create it first.`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return failure('failed', `The backup ${file} cannot be written. Check that this user may write to its folder.`);
    default:
      return failure('failed', `The backup ${file} could not be written: ${errorText(error)}.`);
  }
}
