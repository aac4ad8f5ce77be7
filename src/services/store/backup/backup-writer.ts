import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type PlacedRow, reasonOf, StoreError } from '../backend.ts';
import { headerLine, MAX_LINE_BYTES, rowLine, trailerLine } from './backup-format.ts';
import { deriveKey, newEncryption, seal } from './encryption.ts';

export interface BackupOptions {
  /** The bot's version. */
  by: string;
  now: number;
  /** Undefined if the backup is not encrypted. */
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

/** Rows hold prompts and tokens. */
const ONLY_OWNER_READS = 0o600;
/** Lines are passed on in pieces of this size. */
const PIECE_BYTES = 64 * 1024;

/** Writes a new backup file. It gets its name when it is complete and on the disk; nothing is left of one that fails. */
export async function writeBackup(
  path: string,
  rows: AsyncIterable<PlacedRow> | Iterable<PlacedRow>,
  options: BackupOptions,
): Promise<WrittenBackup> {
  const file = resolve(path);
  mustBeFree(file);
  const unfinished = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(unfinished, 'wx', ONLY_OWNER_READS);
    const written = await writeAll(handle, rows, options);
    await handle.sync();
    await handle.close();
    mustBeFree(file);
    await rename(unfinished, file);
    await syncFolder(dirname(file));
    return { file, ...written };
  } catch (error) {
    await handle?.close();
    await rm(unfinished, { force: true });
    throw writeFailure(error, file);
  }
}

async function writeAll(
  handle: FileHandle,
  rows: AsyncIterable<PlacedRow> | Iterable<PlacedRow>,
  { by, now, passphrase, onProgress }: BackupOptions,
): Promise<Omit<WrittenBackup, 'file'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const write = async (piece: Buffer): Promise<void> => {
    hash.update(piece);
    bytes += piece.length;
    await handle.writeFile(piece);
  };
  const encryption = passphrase === undefined ? undefined : newEncryption();
  const header = headerLine({ at: now, by, encryption });
  const sealing =
    encryption && passphrase !== undefined ? { key: await deriveKey(passphrase, encryption), header } : undefined;
  await write(header);
  let count = 0;
  const counted = async function* (): AsyncGenerator<PlacedRow> {
    for await (const row of rows) {
      yield row;
      count += 1;
      onProgress?.(count);
    }
  };
  await pipeline(
    Readable.from(piecesOf(counted(), () => count)),
    createGzip(),
    async (zipped: AsyncIterable<Buffer>) => {
      for await (const piece of sealing ? seal(zipped, sealing) : zipped) await write(piece);
    },
  );
  const digest = hash.digest();
  await handle.writeFile(digest);
  return { rows: count, bytes: bytes + digest.length, digest: digest.toString('hex') };
}

async function* piecesOf(rows: AsyncIterable<PlacedRow>, count: () => number): AsyncGenerator<Buffer> {
  let lines: Buffer[] = [];
  let held = 0;
  for await (const row of rows) {
    const line = Buffer.from(rowLine(row));
    if (line.length > MAX_LINE_BYTES)
      throw new StoreError('failed', `The row ${row.key} in ${row.namespace} is too large for a backup.`);
    lines.push(line);
    held += line.length;
    if (held < PIECE_BYTES) continue;
    yield Buffer.concat(lines);
    lines = [];
    held = 0;
  }
  yield Buffer.concat([...lines, Buffer.from(trailerLine({ rows: count() }))]);
}

function mustBeFree(file: string): void {
  if (existsSync(file))
    throw new StoreError('unsupported', `The file ${file} exists already. Choose another name for the backup.`);
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
