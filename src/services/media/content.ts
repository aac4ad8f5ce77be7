import { open, readFile } from 'node:fs/promises';

/** What a file consists of: bytes in memory, or a private file on the disk that is read in ranges. */
export type FileContent =
  | { readonly size: number; readonly bytes: Buffer; readonly path?: undefined }
  | { readonly size: number; readonly path: string; readonly bytes?: undefined };

/** Reads a file in ranges, wherever it lies. A range beyond the end is cut there. */
export interface ContentReader {
  readonly size: number;
  read(start: number, length: number): Promise<Buffer>;
}

/** The event loop gets a turn after each piece. */
const PIECE = 256 * 1024;

/** All of its bytes at once, for what is sent as one text. */
export const wholeOf = async (content: FileContent): Promise<Buffer> => content.bytes ?? (await readFile(content.path));

export const inMemory = (bytes: Buffer): FileContent => ({ size: bytes.length, bytes });

export async function reading<T>(content: FileContent, work: (reader: ContentReader) => Promise<T>): Promise<T> {
  const { size } = content;
  if (content.bytes) {
    const { bytes } = content;
    return await work({ size, read: async (start, length) => bytes.subarray(start, start + length) });
  }
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

/** All of a file, piece by piece. */
export async function* piecesOf(content: FileContent, length = PIECE): AsyncGenerator<Buffer> {
  if (content.bytes) {
    for (let start = 0; start < content.size; start += length) {
      yield content.bytes.subarray(start, start + length);
      await new Promise(setImmediate);
    }
    return;
  }
  const handle = await open(content.path, 'r');
  try {
    for (let start = 0; start < content.size; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, start);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      start += bytesRead;
    }
  } finally {
    await handle.close();
  }
}
