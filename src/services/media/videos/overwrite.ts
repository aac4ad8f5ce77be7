import { open } from 'node:fs/promises';
import { type ContentReader, type FileContent, withReader } from '../content.ts';

/** A part of a file that gets `head` at `at`, and zeros from `from` to `end`. */
export interface UnusedPart {
  readonly at: number;
  readonly head: Buffer;
  readonly from: number;
  readonly end: number;
}

const EMPTY = Buffer.alloc(0);

export const blankPart = (from: number, end: number): UnusedPart => ({ at: from, head: EMPTY, from, end });

const ZEROS = Buffer.alloc(256 * 1024);

/** Overwrites parts without moving any other byte. A file on disk is changed in place. */
export async function overwrite(content: FileContent, parts: readonly UnusedPart[]): Promise<FileContent> {
  const partsToOverwrite = await withReader(content, (reader) => partsWithContent(reader, parts));
  if (partsToOverwrite.length === 0) return content;
  if (content.bytes) {
    const bytes = Buffer.from(content.bytes);
    for (const { at, head, from, end } of partsToOverwrite) {
      head.copy(bytes, at);
      bytes.fill(0, from, end);
    }
    return { size: content.size, bytes };
  }
  await using handle = await open(content.path, 'r+');
  for (const { at, head, from, end } of partsToOverwrite) {
    await handle.write(head, 0, head.length, at);
    for (let start = from; start < end; start += ZEROS.length)
      await handle.write(ZEROS, 0, Math.min(ZEROS.length, end - start), start);
  }
  return content;
}

/** Returns the parts that have to be overwritten. Parts that are already unused and empty need no change. */
async function partsWithContent(reader: ContentReader, parts: readonly UnusedPart[]): Promise<UnusedPart[]> {
  const partsToOverwrite: UnusedPart[] = [];
  for (const part of parts) {
    const head = await reader.read(part.at, part.head.length);
    if (!head.equals(part.head) || !(await isEmpty(reader, part))) partsToOverwrite.push(part);
  }
  return partsToOverwrite;
}

async function isEmpty(reader: ContentReader, { from, end }: UnusedPart): Promise<boolean> {
  for (let offset = from; offset < end; offset += ZEROS.length) {
    const chunk = await reader.read(offset, Math.min(ZEROS.length, end - offset));
    if (!chunk.equals(ZEROS.subarray(0, chunk.length))) return false;
  }
  return true;
}
