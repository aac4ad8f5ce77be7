import type { ContentReader } from '../content.ts';
import { type MediaType, mediaTypes, type VideoFacts } from '../media-types.ts';

interface Box {
  readonly kind: string;
  readonly content: Buffer;
}

const BOX_HEADER_BYTES = 8;
const LARGE_BOX_HEADER_BYTES = 16;

/** The header of a box. `length` includes the header; undefined if the box extends to the end of the file. */
interface BoxHead {
  readonly kind: string;
  readonly headerLength: number;
  readonly length: number | undefined;
}

function boxHead(bytes: Buffer): BoxHead | undefined {
  if (bytes.length < BOX_HEADER_BYTES) return undefined;
  const shortLength = bytes.readUInt32BE(0);
  const headerLength = shortLength === 1 ? LARGE_BOX_HEADER_BYTES : BOX_HEADER_BYTES;
  if (bytes.length < headerLength) return undefined;
  const length = shortLength === 1 ? Number(bytes.readBigUInt64BE(BOX_HEADER_BYTES)) : shortLength;
  return { kind: latin1(bytes, 4, BOX_HEADER_BYTES), headerLength, length: shortLength === 0 ? undefined : length };
}

/** Reads the headers of the first boxes in a part of the file, by default at the top level. Each takes one small read. */
export async function* boxHeads(
  reader: ContentReader,
  max: number,
  { from, end }: { from: number; end: number } = { from: 0, end: reader.size },
): AsyncGenerator<BoxHead & { at: number }> {
  let offset = from;
  for (let count = 0; count < max && offset < end; count++) {
    const box = boxHead(await reader.read(offset, LARGE_BOX_HEADER_BYTES));
    if (!box) return;
    yield { ...box, at: offset };
    if (box.length === undefined || box.length < box.headerLength) return;
    offset += box.length;
  }
}

export const latin1 = (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end);

/** A longer list of brands is implausible. */
const MAX_BRANDS_BYTES = 1_024;
const AVIF_BRAND = /^(avif|avis)$/;
/** Other still images in the same container, which neither Discord nor sharp supports. */
const OTHER_IMAGE_BRAND = /^(hei[cmsx]|hev[cmsx]|mif1|msf1|crx |jp2 |jpx |jxl )$/;
const AUDIO_BRAND = /^(M4A |M4B |M4P |F4A |F4B )$/;
const QUICKTIME_BRAND = /^qt {2}$/;
const VIDEO_BRAND = /^(iso[2-9a-c]|isom|mp4[12]|avc1|M4V |M4VH|M4VP|MSNV|mmp4|dash|F4V |f4v )$/;

/** Files of the MP4 family begin with a box that lists their brands. The first one is the main brand. */
export function mp4FamilyType(bytes: Buffer): MediaType | undefined {
  if (bytes.length < 16 || latin1(bytes, 4, 8) !== 'ftyp') return undefined;
  const end = bytes.readUInt32BE(0);
  // A list of brands without anything after it is not a video.
  if (end < 16 || end % 4 !== 0 || end > MAX_BRANDS_BYTES || bytes.length < end + 8) return undefined;
  const mainBrand = latin1(bytes, 8, 12);
  const compatibleBrands: string[] = [];
  for (let offset = 16; offset < end; offset += 4) compatibleBrands.push(latin1(bytes, offset, offset + 4));
  if (AVIF_BRAND.test(mainBrand)) return mediaTypes.avif;
  if (OTHER_IMAGE_BRAND.test(mainBrand))
    return compatibleBrands.some((brand) => AVIF_BRAND.test(brand)) ? mediaTypes.avif : undefined;
  if (AUDIO_BRAND.test(mainBrand)) return mediaTypes.m4a;
  if (QUICKTIME_BRAND.test(mainBrand)) return mediaTypes.mov;
  return VIDEO_BRAND.test(mainBrand) || compatibleBrands.some((brand) => VIDEO_BRAND.test(brand))
    ? mediaTypes.mp4
    : undefined;
}

/** Enough for a video of an hour in fragments of a second. Millions of tiny boxes would be an attempt to waste CPU time. */
export const MAX_BOXES_IN_FILE = 8_000;
const BOX_FORMATS = /^(video\/mp4|video\/quicktime|audio\/mp4)$/;

/** Adds up the boxes, because a host may end a response early without an error. A file with more boxes than are read counts as complete. */
export async function isTruncatedFile(reader: ContentReader, { mime }: MediaType): Promise<boolean> {
  if (!BOX_FORMATS.test(mime)) return false;
  let end = 0;
  let count = 0;
  for await (const { at, headerLength, length } of boxHeads(reader, MAX_BOXES_IN_FILE)) {
    // The last box may extend to the end of the file.
    if (length === undefined) return false;
    if (length < headerLength) return true;
    end = at + length;
    count += 1;
  }
  return count < MAX_BOXES_IN_FILE && end !== reader.size;
}

/** A table of contents has a few dozen boxes. Thousands of tiny ones would be an attempt to waste CPU time. */
const MAX_BOXES_IN_TABLE = 500;
/** Only the beginning of the table is read, because everything needed comes before each track's sample tables. */
const MAX_TABLE_BYTES = 1024 * 1024;

/** Reads the table of contents (ISO 14496-12, 8.2, 8.3 and 8.8), which may be anywhere in the file. */
export async function mp4Facts(reader: ContentReader): Promise<VideoFacts> {
  for await (const { at, headerLength, length = reader.size - at, kind } of boxHeads(reader, MAX_BOXES_IN_TABLE)) {
    if (length < headerLength || at + length > reader.size) return {};
    if (kind === 'moov')
      return readFacts(await reader.read(at + headerLength, Math.min(length - headerLength, MAX_TABLE_BYTES)));
  }
  return {};
}

function readFacts(table: Buffer): VideoFacts {
  // How many boxes may still be read, at all depths together.
  const budget = { boxes: MAX_BOXES_IN_TABLE };
  const parts = readBoxes(table, budget);
  const seconds = secondsOf(parts, budget);
  const size = parts.flatMap(({ kind, content }) => (kind === 'trak' ? (sizeOf(content, budget) ?? []) : []))[0];
  return { ...size, ...(seconds !== undefined && { seconds }) };
}

function secondsOf(parts: readonly Box[], budget: { boxes: number }): number | undefined {
  const head = contentOf(parts, 'mvhd');
  if (head.length < 4) return undefined;
  const scale = numberAt(head, isLong(head) ? 20 : 12);
  const movieDuration = numberAt(head, isLong(head) ? 24 : 16, isLong(head));
  // In a fragmented video, this is the total length of all fragments.
  const fragmentHeader = contentOf(readBoxes(contentOf(parts, 'mvex'), budget), 'mehd');
  const duration = knownDuration(movieDuration) ?? knownDuration(numberAt(fragmentHeader, 4, isLong(fragmentHeader)));
  return duration === undefined || !scale ? undefined : duration / scale;
}

/** Returns undefined for an unknown duration, which is zero or has all bits set. */
function knownDuration(duration: number | undefined): number | undefined {
  return duration === undefined || duration === 0 || duration >= 0xffff_ffff ? undefined : duration;
}

function sizeOf(track: Buffer, budget: { boxes: number }): { width: number; height: number } | undefined {
  const parts = readBoxes(track, budget);
  const handler = contentOf(readBoxes(contentOf(parts, 'mdia'), budget), 'hdlr');
  if (latin1(handler, 8, 12) !== 'vide') return undefined;
  const head = contentOf(parts, 'tkhd');
  const matrix = isLong(head) ? 52 : 40;
  // Fixed-point numbers with 16 bits before and 16 after the binary point.
  const [displayWidth, displayHeight] = [36, 40].map((offset) =>
    Math.round((numberAt(head, matrix + offset) ?? 0) / 0x1_0000),
  );
  if (!displayWidth || !displayHeight) return undefined;
  // If the diagonal contains zeros, the video is rotated: a phone was held upright.
  const isRotated = numberAt(head, matrix) === 0 && numberAt(head, matrix + 16) === 0;
  return isRotated ? { width: displayHeight, height: displayWidth } : { width: displayWidth, height: displayHeight };
}

const EMPTY = Buffer.alloc(0);

const contentOf = (list: readonly Box[], wantedKind: string): Buffer =>
  list.find(({ kind }) => kind === wantedKind)?.content ?? EMPTY;

/** Some boxes begin with a version. Version 1 has 64-bit times. */
const isLong = (box: Buffer): boolean => box[0] === 1;

function numberAt(box: Buffer, offset: number, hasEightBytes = false): number | undefined {
  if (offset + (hasEightBytes ? 8 : 4) > box.length) return undefined;
  return hasEightBytes ? Number(box.readBigUInt64BE(offset)) : box.readUInt32BE(offset);
}

/** The boxes in a part of the table. Anything that does not look like a box ends the list; the last box may be truncated. */
function readBoxes(bytes: Buffer, budget: { boxes: number }): Box[] {
  const list: Box[] = [];
  for (let offset = 0; offset + BOX_HEADER_BYTES <= bytes.length && budget.boxes > 0; ) {
    const box = boxHead(bytes.subarray(offset, offset + LARGE_BOX_HEADER_BYTES));
    if (!box) break;
    const { kind, headerLength, length = bytes.length - offset } = box;
    if (length < headerLength) break;
    list.push({ kind, content: bytes.subarray(offset + headerLength, offset + length) });
    budget.boxes -= 1;
    offset += length;
  }
  return list;
}
