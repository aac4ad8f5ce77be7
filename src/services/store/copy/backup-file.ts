import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { StoreError } from '../../tasks/store-error.ts';
import { errorText, IN_MEMORY, unsupportedError } from '../backend.ts';
import { namespaceNames } from '../namespaces.ts';
import { BACKUP_TABLE, isNewer, MAX_PARTITIONS, SCHEMA_KEY, schemaIn, type WrittenSchema } from '../rows/marks.ts';
import { sqliteCode } from '../rows/sqlite.ts';
import { copyRows, type PartitionRow, RowSums } from './copier.ts';

/**
 * A backup is an SQLite database with two tables: the rows of all partitions, and one row of JSON about the backup with its digest, which is written last. Their names keep
 * bots from starting on it. With a passphrase, the database is encrypted in the format of the program `age`.
 */
export const BACKUP_TABLES = `
  CREATE TABLE atelier_rows (partition INTEGER NOT NULL, namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL);
  CREATE TABLE ${BACKUP_TABLE} (facts TEXT NOT NULL, digest TEXT NOT NULL)`;

/** Stored in the database; increase it when the tables change. */
export const FORMAT_VERSION = 1;

const SQLITE_START = 'SQLite format 3\0';
const AGE_START = 'age-encryption.org/v1\n';

const factsSchema = z.object({
  /** When the backup was started. */
  at: z.number(),
  /** The version of the bot that wrote it. */
  by: z.string(),
  partitions: z.int().min(1).max(MAX_PARTITIONS),
  /** The rows of each namespace. */
  sums: z.record(z.string(), z.object({ count: z.int(), checksum: z.string() })),
});

export type BackupFacts = z.output<typeof factsSchema>;

export const digestOfFacts = (facts: string): string => createHash('sha256').update(facts).digest('hex');

export async function digestOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** A backup file whose rows have been verified. */
export type Backup = Awaited<ReturnType<typeof openBackup>>;

/** Reads the file from beginning to end. Throws a `StoreError` if this version cannot restore it, or if it needs another passphrase. */
export async function openBackup(path: string, passphrase: string | undefined) {
  const file = resolve(path);
  let database: DatabaseSync | undefined;
  try {
    const start = await readStart(file);
    const isEncrypted = start.startsWith(AGE_START);
    if (!isEncrypted && !start.startsWith(SQLITE_START)) {
      const isCut = [SQLITE_START, AGE_START].some((known) => known.startsWith(start));
      throw isCut ? damagedError(file) : notABackupError(file);
    }
    const digest = await digestOfFile(file);
    if (isEncrypted) {
      const bytes = await decrypt(file, passphrase);
      database = new DatabaseSync(IN_MEMORY);
      database.deserialize(bytes);
    } else database = new DatabaseSync(file, { readOnly: true });
    const opened = database;
    const facts = readFacts(opened, file);
    const schema = readSchema(opened, file, facts);
    const rows = () => readRows(opened, file, facts);
    await copyRows(rows(), async () => undefined);
    return { digest, isEncrypted, facts, schema, rows, close: () => opened.close() };
  } catch (error) {
    database?.close();
    throw readFailure(error, file);
  }
}

/** Throws at the end if these are not the rows that were backed up. */
async function* readRows(database: DatabaseSync, file: string, facts: BackupFacts): AsyncGenerator<PartitionRow> {
  const row = z.object({
    partition: z.int().min(0).lt(facts.partitions),
    namespace: z.string(),
    key: z.string().min(1),
    text: z.string(),
  });
  const sums = new RowSums();
  try {
    const rows = database.prepare('SELECT partition, namespace, key, value AS text FROM atelier_rows');
    for (const stored of rows.iterate()) {
      const { data } = row.safeParse(stored);
      if (!data) throw damagedError(file);
      sums.add(data);
      yield data;
    }
  } catch (error) {
    throw readFailure(error, file);
  }
  if (JSON.stringify(sums.all()) !== JSON.stringify(facts.sums)) throw damagedError(file);
}

async function readStart(file: string): Promise<string> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(AGE_START.length), 0, AGE_START.length, 0);
  return buffer.toString('latin1', 0, bytesRead);
}

/** The library takes a while to load, and a bot does not need it. */
export const loadAge = () => import('age-encryption');

async function decrypt(file: string, passphrase: string | undefined): Promise<Uint8Array> {
  if (passphrase === undefined)
    throw new StoreError('denied', `The backup ${file} is encrypted. Set BACKUP_PASSPHRASE to its passphrase.`);
  const { Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  const encrypted = ReadableStream.from<Uint8Array>(createReadStream(file));
  const decrypted = await decrypter.decrypt(encrypted).catch((error: unknown) => {
    throw new StoreError(
      'denied',
      `The passphrase is wrong for the backup ${file}, or the file has been modified. Set BACKUP_PASSPHRASE to the one it was made with, or use another backup.`,
      error,
    );
  });
  try {
    const { size } = await stat(file);
    const bytes = new Uint8Array(decrypted.size(size));
    let end = 0;
    for await (const chunk of decrypted) {
      bytes.set(chunk, end);
      end += chunk.length;
    }
    return bytes;
  } catch (error) {
    throw damagedError(file, error);
  }
}

function readFacts(database: DatabaseSync, file: string): BackupFacts {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  if (!tables.some(({ name }) => name === BACKUP_TABLE)) throw notABackupError(file);
  if (version > FORMAT_VERSION)
    throw new StoreError('newer', `The backup ${file} was written by a newer Atelier. Restore it with that version.`);
  const { facts = '', digest } = database.prepare(`SELECT facts, digest FROM ${BACKUP_TABLE}`).get() ?? {};
  if (typeof facts !== 'string' || digest !== digestOfFacts(facts)) throw damagedError(file);
  return factsSchema.parse(JSON.parse(facts));
}

/** Throws if a newer version wrote the rows. */
function readSchema(database: DatabaseSync, file: string, { by, sums }: BackupFacts): WrittenSchema {
  const mark = database.prepare(
    "SELECT value FROM atelier_rows WHERE partition = 0 AND namespace = 'meta' AND key = ?",
  );
  const row = mark.get(SCHEMA_KEY);
  // Every version writes the mark.
  if (!row) throw damagedError(file);
  const schema = schemaIn(String(row.value));
  if (schema && !isNewer(schema) && Object.keys(sums).every((namespace) => namespaceNames.includes(namespace)))
    return schema;
  throw new StoreError(
    'newer',
    `The backup ${file} holds the store of a newer Atelier (${schema?.by ?? by}). Restore it with that version.`,
  );
}

const notABackupError = (file: string): StoreError =>
  unsupportedError(`The file ${file} is not a backup of Atelier. Choose a file that \`npm run backup\` wrote.`);

const damagedError = (file: string, cause?: unknown): StoreError =>
  new StoreError(
    'corrupt',
    `The backup ${file} is incomplete or was changed, so it cannot be restored. Use another backup.`,
    cause,
  );

function readFailure(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  // SQLite reports a damaged file in many ways, such as an unknown table or a failed read at its end.
  if (typeof sqliteCode(error) === 'number') return damagedError(file, error);
  return new StoreError('failed', `The backup ${file} cannot be read: ${errorText(error)}.`, error);
}
