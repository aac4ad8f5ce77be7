import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { damagedFileError, tooLargeError } from './errors.ts';

/** A file's bytes: in memory, or in a private file on disk that is read in ranges. */
export type FileContent =
  | { readonly size: number; readonly bytes: Buffer; readonly path?: undefined }
  | { readonly size: number; readonly path: string; readonly bytes?: undefined };

/** Reads a file in ranges. A range that extends beyond the end is truncated there. */
export interface ContentReader {
  readonly size: number;
  read(start: number, length: number): Promise<Buffer>;
}

/** The event loop gets a turn after each chunk. */
const PIECE = 256 * 1024;

export const readWhole = async (content: FileContent): Promise<Buffer> =>
  content.bytes ?? (await readFile(content.path));
export const memoryContent = (bytes: Buffer): FileContent => ({ size: bytes.length, bytes });
export const dataUri = (mime: string, bytes: Buffer): string => `data:${mime};base64,${bytes.toString('base64')}`;

export async function withReader<T>(content: FileContent, work: (reader: ContentReader) => Promise<T>): Promise<T> {
  const { size, bytes } = content;
  if (bytes) return await work({ size, read: async (start, length) => bytes.subarray(start, start + length) });
  const handle = await open(content.path, 'r');
  try {
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
  } finally {
    await handle.close();
  }
}

export async function* readChunks(content: FileContent, length = PIECE): AsyncGenerator<Buffer> {
  if (!content.bytes) return yield* createReadStream(content.path, { highWaterMark: length });
  for (let start = 0; start < content.size; start += length) {
    yield content.bytes.subarray(start, start + length);
    await new Promise(setImmediate);
  }
}

/** SHA-256, in hexadecimal. */
export async function hashOf(content: FileContent): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readChunks(content)) hash.update(piece);
  return hash.digest('hex');
}

const DATA_URI_HEAD = /^data:[^,]{0,200};base64,/i;
const LONGEST_HEAD = 300;
const FOREIGN = /[^A-Za-z0-9+/_-]/;
const SPACE = /\s/g;
const BEHIND = /[\s=]/;
const MAX_BEHIND = 1_024;
/** Four characters are three bytes. A chunk is checked and decoded within a millisecond, then the event loop gets a turn. */
const LETTERS = 4;
const LETTERS_OF_PIECE = 64 * 1024 * LETTERS;

/** Decodes base64 of either alphabet, with or without a data URI's head, in chunks: all at once would block the loop. */
export async function* decodeBase64(base64: string, max: number): AsyncGenerator<Buffer> {
  const start = DATA_URI_HEAD.exec(base64.slice(0, LONGEST_HEAD))?.[0].length ?? 0;
  // Line breaks add a few per cent; a text of twice the allowed length is not even scanned.
  if (base64.length - start > max * 3 + 1_024) throw tooLargeError(max);
  const end = endOfLetters(base64, start);
  let carried = '';
  for (let at = start; at < end; at += LETTERS_OF_PIECE) {
    const letters = carried + base64.slice(at, Math.min(end, at + LETTERS_OF_PIECE)).replace(SPACE, '');
    if (FOREIGN.test(letters)) throw damagedFileError();
    const isLast = at + LETTERS_OF_PIECE >= end;
    // A single character is less than a byte.
    if (isLast && letters.length % LETTERS === 1) throw damagedFileError();
    const whole = isLast ? letters.length : letters.length - (letters.length % LETTERS);
    carried = letters.slice(whole);
    yield Buffer.from(letters.slice(0, whole), 'base64');
    await new Promise(setImmediate);
  }
}

/** Padding and the last line break are left out; padding anywhere else is damage. */
function endOfLetters(base64: string, start: number): number {
  const least = Math.max(start, base64.length - MAX_BEHIND);
  let end = base64.length;
  while (end > least && BEHIND.test(base64.charAt(end - 1))) end -= 1;
  return end;
}
