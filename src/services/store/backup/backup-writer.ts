import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { reasonOf, StoreError } from '../backend.ts';
import { type BackupRow, headerLine, MAX_LINE_BYTES, rowLine, trailerLine } from './backup-format.ts';
import { deriveKey, newEncryption, seal } from './encryption.ts';

export interface BackupOptions {
  /** The bot's version. */
  by: string;
  now: number;
  /** How many partitions the store has; undefined: it is not divided. */
  partitions?: number | undefined;
  /** undefined: not encrypted. */
  passphrase?: string | undefined;
  onProgress?: ((rows: number) => void) | undefined;
}

export interface WrittenBackup {
  file: string;
  rows: number;
  bytes: number;
  /** SHA-256 of everything before it in the file, as hexadecimal digits. */
  digest: string;
}

/** Rows contain prompts and tokens, so only the owner may read a backup. */
const OWNER_ONLY_MODE = 0o600;
/** Lines are passed on in chunks of this size. */
const CHUNK_BYTES = 64 * 1024;

/** Writes a new backup file. It gets its name once it is complete and on disk; if writing fails, nothing is left behind. */
export async function writeBackup(
  path: string,
  rows: AsyncIterable<BackupRow> | Iterable<BackupRow>,
  options: BackupOptions,
): Promise<WrittenBackup> {
  const file = resolve(path);
  refuseExisting(file);
  const temporaryFile = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(temporaryFile, 'wx', OWNER_ONLY_MODE);
    const written = await writeAll(handle, rows, options);
    await handle.sync();
    await handle.close();
    refuseExisting(file);
    await rename(temporaryFile, file);
    await syncFolder(dirname(file));
    return { file, ...written };
  } catch (error) {
    await handle?.close();
    await rm(temporaryFile, { force: true });
    throw writeFailure(error, file);
  }
}

async function writeAll(
  handle: FileHandle,
  rows: AsyncIterable<BackupRow> | Iterable<BackupRow>,
  { by, now, partitions = 1, passphrase, onProgress }: BackupOptions,
): Promise<Omit<WrittenBackup, 'file'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const write = async (chunk: Buffer): Promise<void> => {
    hash.update(chunk);
    bytes += chunk.length;
    await handle.writeFile(chunk);
  };
  const encryption = passphrase === undefined ? undefined : newEncryption();
  const header = headerLine({ at: now, by, partitions, encryption });
  const sealing =
    encryption && passphrase !== undefined ? { key: await deriveKey(passphrase, encryption), header } : undefined;
  await write(header);
  let count = 0;
  const countedRows = async function* (): AsyncGenerator<BackupRow> {
    for await (const row of rows) {
      yield row;
      count += 1;
      onProgress?.(count);
    }
  };
  await pipeline(
    Readable.from(chunksOf(countedRows(), () => count)),
    createGzip(),
    async (compressed: AsyncIterable<Buffer>) => {
      for await (const chunk of sealing ? seal(compressed, sealing) : compressed) await write(chunk);
    },
  );
  const digest = hash.digest();
  await handle.writeFile(digest);
  return { rows: count, bytes: bytes + digest.length, digest: digest.toString('hex') };
}

async function* chunksOf(rows: AsyncIterable<BackupRow>, count: () => number): AsyncGenerator<Buffer> {
  let lines: Buffer[] = [];
  let pendingBytes = 0;
  for await (const row of rows) {
    const line = Buffer.from(rowLine(row));
    if (line.length > MAX_LINE_BYTES)
      throw new StoreError('failed', `The row ${row.key} in ${row.namespace} is too large for a backup.`);
    lines.push(line);
    pendingBytes += line.length;
    if (pendingBytes < CHUNK_BYTES) continue;
    yield Buffer.concat(lines);
    lines = [];
    pendingBytes = 0;
  }
  yield Buffer.concat([...lines, Buffer.from(trailerLine({ rows: count() }))]);
}

function refuseExisting(file: string): void {
  if (existsSync(file))
    throw new StoreError('unsupported', `The file ${file} already exists. Choose another name for the backup.`);
}

/** The new name itself must survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function writeFailure(error: unknown, file: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error) || !('code' in error)) return error;
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new StoreError(
        'full',
        `The disk is full, so no backup was written to ${file}. Free some space or choose another disk.`,
        error,
      );
    case 'ENOENT':
    case 'ENOTDIR':
      return new StoreError('failed', `The folder of the backup ${file} does not exist. Create it first.`, error);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StoreError(
        'failed',
        `The backup ${file} cannot be written. Check that this user may write to its folder.`,
        error,
      );
    default:
      return new StoreError('failed', `The backup ${file} could not be written: ${reasonOf(error)}.`, error);
  }
}
