import { createHash, timingSafeEqual } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { reasonOf, StoreError } from '../backend.ts';
import {
  type BackupHeader,
  type BackupRow,
  DIGEST_BYTES,
  damagedError,
  MAX_HEADER_BYTES,
  MAX_LINE_BYTES,
  notABackupError,
  readHeader,
  readLine,
} from './backup-format.ts';
import { deriveKey, SealError, unseal } from './encryption.ts';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** A backup file whose digest has been verified. Its rows can be read several times. */
export class Backup {
  readonly file: string;
  readonly header: BackupHeader;
  readonly digest: string;
  readonly #handle: FileHandle;
  readonly #body: { start: number; end: number };
  readonly #sealing: { key: Buffer; header: Buffer } | undefined;

  private constructor(parts: {
    file: string;
    handle: FileHandle;
    header: BackupHeader;
    digest: string;
    body: { start: number; end: number };
    sealing: { key: Buffer; header: Buffer } | undefined;
  }) {
    this.file = parts.file;
    this.header = parts.header;
    this.digest = parts.digest;
    this.#handle = parts.handle;
    this.#body = parts.body;
    this.#sealing = parts.sealing;
  }

  /** Throws a `StoreError` if the file is not a backup, was truncated or modified, or needs a passphrase. */
  static async open(path: string, passphrase: string | undefined): Promise<Backup> {
    const file = resolve(path);
    const handle = await openFile(file);
    try {
      const { size } = await handle.stat();
      const headerBytes = await readHeaderLine(handle, file);
      const header = readHeader(headerBytes.toString('utf8').slice(0, -1), file);
      const body = { start: headerBytes.length, end: size - DIGEST_BYTES };
      const digest = await verifyDigest(handle, file, body);
      const { encryption } = header;
      if (encryption && passphrase === undefined)
        throw new StoreError('denied', `The backup ${file} is encrypted. Set BACKUP_PASSPHRASE to its passphrase.`);
      const sealing =
        encryption && passphrase !== undefined
          ? { key: await deriveKey(passphrase, encryption), header: headerBytes }
          : undefined;
      return new Backup({ file, handle, header, digest, body, sealing });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Yields the rows in the order in which they were written. Throws if anything is missing. */
  async *rows(): AsyncGenerator<Required<BackupRow>> {
    let count = 0;
    let expectedCount: number | undefined;
    try {
      for await (const line of this.#lines()) {
        if (expectedCount !== undefined) throw damagedError(this.file);
        const record = readLine(line, this.file);
        if ('rows' in record) expectedCount = record.rows;
        else if (record.partition >= this.header.partitions) throw damagedError(this.file);
        else {
          count += 1;
          yield record;
        }
      }
    } catch (error) {
      throw readFailure(error, this.file);
    }
    if (expectedCount !== count) throw damagedError(this.file);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async *#lines(): AsyncGenerator<string> {
    const sealing = this.#sealing;
    const chunks = readChunks(this.#handle, this.#body);
    const compressed = Readable.from(sealing ? unseal(chunks, sealing) : chunks, { objectMode: false });
    const gunzip = createGunzip();
    compressed.on('error', (error) => gunzip.destroy(error));
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let pending: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of compressed.pipe(gunzip) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        yield decoder.decode(Buffer.concat([...pending, chunk.subarray(start, end)]));
        pending = [];
        bytes = 0;
        start = end + 1;
      }
      pending.push(chunk.subarray(start));
      bytes += chunk.length - start;
      if (bytes > MAX_LINE_BYTES) throw damagedError(this.file);
    }
    if (bytes > 0) throw damagedError(this.file);
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r');
  } catch (error) {
    throw new StoreError('failed', `The backup ${file} cannot be opened: ${reasonOf(error)}.`, error);
  }
}

/** Includes the trailing newline. */
async function readHeaderLine(handle: FileHandle, file: string): Promise<Buffer> {
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    if (end < 0) throw notABackupError(file);
    return buffer.subarray(0, end + 1);
  } catch (error) {
    throw readFailure(error, file);
  }
}

async function verifyDigest(
  handle: FileHandle,
  file: string,
  { start, end }: { start: number; end: number },
): Promise<string> {
  if (end < start) throw damagedError(file);
  const hash = createHash('sha256');
  for await (const chunk of readChunks(handle, { start: 0, end })) hash.update(chunk);
  const digest = hash.digest();
  const stored = await handle.read(Buffer.alloc(DIGEST_BYTES), 0, DIGEST_BYTES, end);
  if (stored.bytesRead !== DIGEST_BYTES || !timingSafeEqual(digest, stored.buffer)) throw damagedError(file);
  return digest.toString('hex');
}

async function* readChunks(handle: FileHandle, { start, end }: { start: number; end: number }): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const length = Math.min(CHUNK_BYTES, end - position);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    // The file was truncated in the meantime.
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** Turns a read error into a `StoreError`. The digest matched, so if a chunk cannot be decrypted, the passphrase is most likely wrong. */
function readFailure(error: unknown, file: string): unknown {
  if (error instanceof StoreError) return error;
  if (error instanceof SealError)
    return new StoreError(
      'denied',
      `The passphrase is wrong for the backup ${file}, or the file has been modified. Set BACKUP_PASSPHRASE to the one it was made with, or use another backup.`,
      error,
    );
  if (error instanceof TypeError || isZlibError(error)) return damagedError(file, error);
  return new StoreError('failed', `The backup ${file} cannot be read: ${reasonOf(error)}.`, error);
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
