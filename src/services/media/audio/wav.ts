import type { ContentReader } from '../content.ts';
import type { UnusedPart } from '../videos/overwrite.ts';

const FILE_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** More chunks would be an attempt to waste CPU time. */
const MAX_CHUNKS = 1_000;
/** Anything else, now or in the future, is metadata. */
const KEPT_CHUNKS: ReadonlySet<string> = new Set(['fmt ', 'fact', 'data']);

export async function wavMetadata(reader: ContentReader): Promise<UnusedPart[]> {
  const parts: UnusedPart[] = [];
  let at = FILE_HEADER_BYTES;
  for (let count = 0; count < MAX_CHUNKS && at + CHUNK_HEADER_BYTES <= reader.size; count++) {
    const header = await reader.read(at, CHUNK_HEADER_BYTES);
    const kind = header.toString('latin1', 0, 4);
    const from = at + CHUNK_HEADER_BYTES;
    const length = header.readUInt32LE(4);
    const available = reader.size - from;
    // A program that wrote a stream did not know the length of its samples.
    if (kind === 'data' && (length === 0 || length > available)) break;
    // Chunks begin at even offsets.
    const end = from + Math.min(available, length + (length % 2));
    if (!KEPT_CHUNKS.has(kind)) {
      const head = Buffer.from('JUNK\0\0\0\0', 'latin1');
      head.writeUInt32LE(Math.min(length, available), 4);
      parts.push({ at, head, from, end });
    }
    at = end;
  }
  return parts;
}
