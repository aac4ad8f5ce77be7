import type { ContentReader } from '../content.ts';
import { endOfTag } from '../files/recognise.ts';
import { blankPart, type UnusedPart } from '../videos/overwrite.ts';

const ID3_HEADER_BYTES = 10;
/** Enough for the longest tag of a fixed length. */
const TAIL_BYTES = 227;
/** More tags in a row would be an attempt to waste CPU time. */
const MAX_TAGS = 16;

/** Finds the tags before the first frame and after the last one: ID3, APE and Lyrics3. */
export async function mp3Tags(reader: ContentReader): Promise<UnusedPart[]> {
  const parts: UnusedPart[] = [];
  let start = 0;
  for (let count = 0; count < MAX_TAGS; count++) {
    const length = endOfTag(await reader.read(start, ID3_HEADER_BYTES));
    if (length === undefined || start + length > reader.size) break;
    parts.push(emptyId3Tag(start, start + length));
    start += length;
  }
  let end = reader.size;
  for (let count = 0; count < MAX_TAGS; count++) {
    const from = Math.max(start, end - TAIL_BYTES);
    const tag = tagAtEnd(await reader.read(from, end - from));
    if (!tag || tag.length > end - start) break;
    const tagEnd = end;
    const blanks = tag.blanks.filter(([distance, endDistance]) => distance > endDistance);
    parts.push(...blanks.map(([distance, endDistance]) => blankPart(tagEnd - distance, tagEnd - endDistance)));
    if (tag.lastByte) parts.push({ at: end - 1, head: tag.lastByte, from: end, end });
    end -= tag.length;
  }
  return parts;
}

/** A tag that only contains padding. Its length is stored with seven bits per byte. */
function emptyId3Tag(at: number, end: number): UnusedPart {
  const length = end - at - ID3_HEADER_BYTES;
  const size = [21, 14, 7, 0].map((shift) => (length >>> shift) & 0x7f);
  return { at, head: Buffer.from([...Buffer.from('ID3'), 4, 0, 0, ...size]), from: at + ID3_HEADER_BYTES, end };
}

const APE_HEADER_FLAG = 0x8000_0000;

/** Its length, and what becomes zeros, as distances from its end. What remains is an empty tag, so that decoders skip it. */
interface TagAtEnd {
  readonly length: number;
  readonly blanks: readonly (readonly [from: number, end: number])[];
  readonly lastByte?: Buffer;
}

/** Zero would be a genre. */
const NO_GENRE = Buffer.from([0xff]);

/** The tag that ends where `tail` ends. */
function tagAtEnd(tail: Buffer): TagAtEnd | undefined {
  const isAt = (distance: number, name: string): boolean =>
    distance <= tail.length && tail.toString('latin1', tail.length - distance).startsWith(name);
  if (isAt(128, 'TAG')) return { length: 128, blanks: [[125, 1]], lastByte: NO_GENRE };
  if (isAt(227, 'TAG+')) return { length: 227, blanks: [[223, 0]] };
  if (isAt(10, '3DI')) {
    const length = 20 + tail.subarray(-4).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
    return { length, blanks: [[length - 10, 10]] };
  }
  if (isAt(32, 'APETAGEX')) {
    const hasHeader = (tail.readUInt32LE(tail.length - 12) & APE_HEADER_FLAG) !== 0;
    const itemsAndFooter = tail.readUInt32LE(tail.length - 20);
    // The second part is the number of items.
    const blanks = [[itemsAndFooter, 32] as const, [16, 12] as const];
    return { length: itemsAndFooter + (hasHeader ? 32 : 0), blanks };
  }
  if (!isAt(15, '') || !isAt(9, 'LYRICS200')) return undefined;
  const length = 15 + Number(tail.toString('latin1', tail.length - 15, tail.length - 9));
  return Number.isSafeInteger(length) ? { length, blanks: [[length - 11, 15]] } : undefined;
}
