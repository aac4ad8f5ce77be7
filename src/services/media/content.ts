import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { damagedFileError, fileTooLargeError } from './errors.ts';

/** A file's bytes: in memory, or in a private file on disk that is read in ranges. */
export type FileContent =
  | { readonly size: number; readonly bytes: Buffer; readonly path?: undefined }
  | { readonly size: number; readonly path: string; readonly bytes?: undefined };

/** Reads a file in ranges. A range that extends beyond the end of the file is truncated. */
export interface ContentReader {
  readonly size: number;
  read(start: number, length: number): Promise<Buffer>;
}

/** Chunks have this size, and the event loop gets a turn after each of them. */
const DEFAULT_CHUNK_BYTES = 256 * 1024;

export const readWhole = async (content: FileContent): Promise<Buffer> =>
  content.bytes ?? (await readFile(content.path));
export const memoryContent = (bytes: Buffer): FileContent => ({ size: bytes.length, bytes });
export const dataUri = (mime: string, bytes: Buffer): string => `data:${mime};base64,${bytes.toString('base64')}`;

export async function withReader<T>(content: FileContent, work: (reader: ContentReader) => Promise<T>): Promise<T> {
  const { size, bytes } = content;
  if (bytes) return await work({ size, read: async (start, length) => bytes.subarray(start, start + length) });
  await using handle = await open(content.path, 'r');
  return await work({
    size,
    async read(start, length) {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - start)));
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
  });
}

export async function* readChunks(content: FileContent, length = DEFAULT_CHUNK_BYTES): AsyncGenerator<Buffer> {
  if (!content.bytes) return yield* createReadStream(content.path, { highWaterMark: length });
  for (let start = 0; start < content.size; start += length) {
    yield content.bytes.subarray(start, start + length);
    await new Promise(setImmediate);
  }
}

/** Computes the SHA-256 hash in hexadecimal. */
export async function hashOf(content: FileContent): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readChunks(content)) hash.update(chunk);
  return hash.digest('hex');
}

const DATA_URI_HEAD = /^data:[^,]{0,200};base64,/i;
const MAX_PREFIX_LENGTH = 300;
const INVALID_CHARACTER = /[^A-Za-z0-9+/_-]/;
const WHITESPACE = /\s/g;
const TRAILING_CHARACTER = /[\s=]/;
const MAX_TRAILING_LENGTH = 1_024;
/** Four characters encode three bytes. A chunk is checked and decoded within a millisecond, and then the event loop gets a turn. */
const GROUP_LENGTH = 4;
const CHUNK_LENGTH = 64 * 1024 * GROUP_LENGTH;

/** Decodes base64 in either alphabet, with or without the prefix of a data URI. Works in chunks, so that it does not block the event loop. */
export async function* decodeBase64(base64: string, max: number): AsyncGenerator<Buffer> {
  const start = DATA_URI_HEAD.exec(base64.slice(0, MAX_PREFIX_LENGTH))?.[0].length ?? 0;
  // Line breaks add a few percent; input far beyond the allowed length is not even scanned.
  if (base64.length - start > max * 3 + 1_024) throw fileTooLargeError(max);
  const end = endOfData(base64, start);
  let remainder = '';
  for (let offset = start; offset < end; offset += CHUNK_LENGTH) {
    const characters = remainder + base64.slice(offset, Math.min(end, offset + CHUNK_LENGTH)).replace(WHITESPACE, '');
    if (INVALID_CHARACTER.test(characters)) throw damagedFileError();
    const isLast = offset + CHUNK_LENGTH >= end;
    // A single remaining character does not make a whole byte.
    if (isLast && characters.length % GROUP_LENGTH === 1) throw damagedFileError();
    const decodableLength = isLast ? characters.length : characters.length - (characters.length % GROUP_LENGTH);
    remainder = characters.slice(decodableLength);
    yield Buffer.from(characters.slice(0, decodableLength), 'base64');
    await new Promise(setImmediate);
  }
}

/** Returns where the data ends, without the padding and line breaks after it. Padding anywhere else means that the data is damaged. */
function endOfData(base64: string, start: number): number {
  const minEnd = Math.max(start, base64.length - MAX_TRAILING_LENGTH);
  let end = base64.length;
  while (end > minEnd && TRAILING_CHARACTER.test(base64.charAt(end - 1))) end -= 1;
  return end;
}
