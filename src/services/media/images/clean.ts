import type { Sharp } from 'sharp';
import { damagedFileError } from '../errors.ts';
import { type MediaType, mediaTypes } from '../media-types.ts';
import { type ExaminedImage, examineImage, type ImageEditor } from './image-editor.ts';

export interface CheckedImage {
  readonly bytes: Buffer;
  readonly type: MediaType;
}

const REFERENCE_TYPES: readonly MediaType[] = [mediaTypes.png, mediaTypes.jpeg, mediaTypes.webp];

/** Removes the metadata of a member's image, and decodes it completely to prove that this is possible. */
export async function checkImage(bytes: Buffer, bench: ImageEditor): Promise<CheckedImage> {
  const image = await examineImage(bytes, bench.maxPixels);
  const isReferenceType = REFERENCE_TYPES.includes(image.type);
  const { bytes: clean, type, isReencoded } = await (isReferenceType ? removeMetadata : reencode)(image, bench);
  if (!isReencoded) await bench.render(clean, { render: (whole) => whole.resize(16, 16, { fit: 'fill' }).raw() });
  return { bytes: clean, type };
}

interface Cleaned extends CheckedImage {
  readonly isReencoded: boolean;
}

/**
 * Removes metadata such as the place, the camera, the prompt, and previews that show what was cropped. The pixels stay the
 * same, and a file without metadata is returned unchanged. Only rotated images and AVIF are re-encoded; in AVIF, boxes refer
 * to each other by their distance.
 */
export async function removeMetadata(image: ExaminedImage, bench: ImageEditor): Promise<Cleaned> {
  const { bytes, type, isRotated, hasMetadata } = image;
  if (isRotated || (type === mediaTypes.avif && hasMetadata)) return await reencode(image, bench);
  return { bytes: strippers.get(type)?.(bytes) ?? bytes, type, isReencoded: false };
}

const strippers = new Map<MediaType, (bytes: Buffer) => Buffer>([
  [mediaTypes.png, stripPng],
  [mediaTypes.jpeg, stripJpeg],
  [mediaTypes.webp, stripWebp],
  [mediaTypes.gif, stripGif],
]);

/** Bytes per pixel while a WebP is encoded. */
const WEBP_BYTES = 14;

/** Re-encodes an image: upright, in sRGB, in a format that every program reads, and hardly distinguishable from the original. */
async function reencode({ bytes, type, width, height }: ExaminedImage, bench: ImageEditor): Promise<Cleaned> {
  const format = type === mediaTypes.gif ? mediaTypes.png : type === mediaTypes.avif ? mediaTypes.webp : type;
  const outputBytes = format === mediaTypes.webp ? WEBP_BYTES * width * height : 0;
  const draw = (image: Sharp): Sharp => encode(image.autoOrient(), format);
  return { bytes: await bench.render(bytes, { outputBytes, render: draw }), type: format, isReencoded: true };
}

function encode(image: Sharp, format: MediaType): Sharp {
  if (format === mediaTypes.png) return image.png();
  if (format === mediaTypes.webp) return image.webp({ quality: 95 });
  return image.jpeg({ quality: 95, chromaSubsampling: '4:4:4', optimiseCoding: false });
}

/** Collects the parts of a file that are kept, in order. If all of them are kept, the result is the file itself. */
class KeptParts {
  readonly #bytes: Buffer;
  readonly #parts: { start: number; end: number }[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  part(start: number, end: number): void {
    const last = this.#parts.at(-1);
    if (last?.end === start) last.end = end;
    else this.#parts.push({ start, end });
  }

  result(): Buffer {
    const [first, ...others] = this.#parts;
    if (first?.start === 0 && first.end === this.#bytes.length && others.length === 0) return this.#bytes;
    return Buffer.concat(this.#parts.map(({ start, end }) => this.#bytes.subarray(start, end)));
  }
}

const SIGNATURE = 8;
/** The bytes around the data of a chunk: length, type and checksum. */
const AROUND = 12;

/** Chunks needed for pixels, colours and animation. Anything else, now or in the future, is metadata. */
const PNG_KEPT = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'bKGD'],
  ...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'cICP', 'mDCV', 'cLLI', 'pHYs'],
  ...['acTL', 'fcTL', 'fdAT'],
]);

export function stripPng(bytes: Buffer): Buffer {
  const kept = new KeptParts(bytes);
  kept.part(0, SIGNATURE);
  for (let at = SIGNATURE; at + AROUND <= bytes.length; ) {
    const end = at + AROUND + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (end > bytes.length) break;
    if (PNG_KEPT.has(type)) kept.part(at, end);
    // Data after the end chunk is not part of the image.
    if (type === 'IEND') return kept.result();
    at = end;
  }
  throw damagedFileError();
}

const START_OF_SCAN = 0xda;
const END = 0xd9;
/** The length of JFIF without a thumbnail, which might show what was cropped. */
const BARE_JFIF = 16;

/** Keeps frames, tables, scans, and what defines the colours: the profile and Adobe's marker. */
export function stripJpeg(bytes: Buffer): Buffer {
  const kept = new KeptParts(bytes);
  kept.part(0, 2);
  for (let at = 2; at + 4 <= bytes.length || bytes[at + 1] === END; ) {
    if (bytes[at] !== 0xff) throw damagedFileError();
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === END) {
      kept.part(at, at + 2);
      // Phones append further images after the end, and each has its own metadata.
      return kept.result();
    }
    const afterHead = at + 2 + bytes.readUInt16BE(at + 2);
    const end = marker === START_OF_SCAN ? endOfScan(bytes, afterHead) : afterHead;
    if (end > bytes.length) throw damagedFileError();
    if (isNeededInJpeg(bytes, at, marker)) kept.part(at, end);
    at = end;
  }
  throw damagedFileError();
}

function isNeededInJpeg(bytes: Buffer, at: number, marker: number): boolean {
  const isNote = marker === 0xfe || (marker >= 0xe0 && marker <= 0xef);
  if (!isNote) return true;
  const says = (name: string) => bytes.toString('latin1', at + 4, at + 4 + name.length) === name;
  if (marker === 0xe0) return says('JFIF\0') && bytes.readUInt16BE(at + 2) === BARE_JFIF;
  if (marker === 0xe2) return says('ICC_PROFILE\0');
  return marker === 0xee && says('Adobe');
}

function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw damagedFileError();
}

const WEBP_HEAD = 12;
const WEBP_KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** The bits of VP8X that announce EXIF and XMP. */
const WEBP_NOTES = 0x08 | 0x04;

export function stripWebp(bytes: Buffer): Buffer {
  const kept = new KeptParts(bytes);
  kept.part(0, WEBP_HEAD);
  const fileEnd = bytes.readUInt32LE(4) + 8;
  if (fileEnd > bytes.length) throw damagedFileError();
  for (let at = WEBP_HEAD; at + 8 <= fileEnd; ) {
    const size = bytes.readUInt32LE(at + 4);
    if (at + 8 + size > fileEnd) throw damagedFileError();
    // Chunks begin at even offsets; the last one's padding is sometimes missing.
    const end = Math.min(fileEnd, at + 8 + size + (size % 2));
    if (WEBP_KEPT.has(bytes.toString('latin1', at, at + 4))) kept.part(at, end);
    at = end;
  }
  const result = kept.result();
  if (result === bytes) return bytes;
  // This is a copy, so it can be changed. The header must not announce chunks that were removed.
  result.writeUInt32LE(result.length - 8, 4);
  const flags = WEBP_HEAD + 8;
  if (result.toString('latin1', WEBP_HEAD, WEBP_HEAD + 4) === 'VP8X')
    result[flags] = (result[flags] ?? 0) & ~WEBP_NOTES;
  return result;
}

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;
const CONTROL = 0xf9;
const APPLICATION = 0xff;
/** Loop counts, and the colour profile. */
const GIF_KEPT = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

export function stripGif(bytes: Buffer): Buffer {
  const kept = new KeptParts(bytes);
  let at = 13 + tableBytes(bytes[10]);
  kept.part(0, at);
  let images = 0;
  while (at < bytes.length) {
    const start = at;
    const block = bytes[at];
    if (block === TRAILER) {
      kept.part(at, at + 1);
      return kept.result();
    }
    if (block === IMAGE) {
      at = endOfPieces(bytes, at + 11 + tableBytes(bytes[at + 9]));
      images++;
    } else if (block === EXTENSION) at = endOfPieces(bytes, at + 2);
    else throw damagedFileError();
    if (block === IMAGE || isNeededInGif(bytes, start)) kept.part(start, at);
  }
  // Some writers leave out the trailer, and readers do not need it.
  if (images > 0) return kept.result();
  throw damagedFileError();
}

/** Comments and plain text are metadata, as are all but a few application blocks. */
function isNeededInGif(bytes: Buffer, at: number): boolean {
  const label = bytes[at + 1];
  if (label === CONTROL) return true;
  return label === APPLICATION && GIF_KEPT.has(bytes.toString('latin1', at + 3, at + 14));
}

function tableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Data comes in blocks of at most 255 bytes; an empty one is the last. */
function endOfPieces(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1 + (bytes[at] ?? 0)) if (bytes[at] === 0) return at + 1;
  throw damagedFileError();
}
