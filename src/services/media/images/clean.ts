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
export async function checkImage(bytes: Buffer, editor: ImageEditor): Promise<CheckedImage> {
  const image = await examineImage(bytes, editor.maxPixels);
  const isReferenceType = REFERENCE_TYPES.includes(image.type);
  const { bytes: clean, type, isReencoded } = await (isReferenceType ? removeMetadata : reencode)(image, editor);
  if (!isReencoded) await editor.render(clean, { render: (whole) => whole.resize(16, 16, { fit: 'fill' }).raw() });
  return { bytes: clean, type };
}

interface CleanedImage extends CheckedImage {
  readonly isReencoded: boolean;
}

/**
 * Removes metadata such as the location, the camera, the prompt, and previews that show what was cropped. The pixels stay the
 * same, and a file without metadata is returned unchanged. Only rotated images and AVIF are re-encoded; in AVIF, boxes refer
 * to each other by offset.
 */
export async function removeMetadata(image: ExaminedImage, editor: ImageEditor): Promise<CleanedImage> {
  const { bytes, type, isRotated, hasMetadata } = image;
  if (isRotated || (type === mediaTypes.avif && hasMetadata)) return await reencode(image, editor);
  return { bytes: strippers.get(type)?.(bytes) ?? bytes, type, isReencoded: false };
}

const strippers = new Map<MediaType, (bytes: Buffer) => Buffer>([
  [mediaTypes.png, stripPng],
  [mediaTypes.jpeg, stripJpeg],
  [mediaTypes.webp, stripWebp],
  [mediaTypes.gif, stripGif],
]);

/** Bytes per pixel while a WebP is encoded. */
const WEBP_BYTES_PER_PIXEL = 14;

/** Re-encodes an image: upright, in sRGB, in a format that every program reads, and hardly distinguishable from the original. */
async function reencode(image: ExaminedImage, editor: ImageEditor): Promise<CleanedImage> {
  const { type, width, height } = image;
  const format = type === mediaTypes.gif ? mediaTypes.png : type === mediaTypes.avif ? mediaTypes.webp : type;
  const outputBytes = format === mediaTypes.webp ? WEBP_BYTES_PER_PIXEL * width * height : 0;
  const draw = (original: Sharp): Sharp => encode(original.autoOrient(), format);
  return { bytes: await editor.render(image, { outputBytes, render: draw }), type: format, isReencoded: true };
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

  keep(start: number, end: number): void {
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

const PNG_SIGNATURE_LENGTH = 8;
/** The bytes around the data of a chunk: length, type and checksum. */
const PNG_CHUNK_OVERHEAD = 12;

/** Chunks needed for pixels, colours and animation. Anything else, now or in the future, is metadata. */
const KEPT_PNG_CHUNKS = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'bKGD'],
  ...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'cICP', 'mDCV', 'cLLI', 'pHYs'],
  ...['acTL', 'fcTL', 'fdAT'],
]);

export function stripPng(bytes: Buffer): Buffer {
  const keptParts = new KeptParts(bytes);
  keptParts.keep(0, PNG_SIGNATURE_LENGTH);
  for (let offset = PNG_SIGNATURE_LENGTH; offset + PNG_CHUNK_OVERHEAD <= bytes.length; ) {
    const end = offset + PNG_CHUNK_OVERHEAD + bytes.readUInt32BE(offset);
    const type = bytes.toString('latin1', offset + 4, offset + 8);
    if (end > bytes.length) break;
    if (KEPT_PNG_CHUNKS.has(type)) keptParts.keep(offset, end);
    // Data after the end chunk is not part of the image.
    if (type === 'IEND') return keptParts.result();
    offset = end;
  }
  throw damagedFileError();
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
/** The length of JFIF without a thumbnail, which might show what was cropped. */
const BARE_JFIF_LENGTH = 16;

/** Keeps frames, tables, scans, and what defines the colours: the profile and Adobe's marker. */
export function stripJpeg(bytes: Buffer): Buffer {
  const keptParts = new KeptParts(bytes);
  keptParts.keep(0, 2);
  for (let offset = 2; offset + 4 <= bytes.length || bytes[offset + 1] === END_OF_IMAGE; ) {
    if (bytes[offset] !== 0xff) throw damagedFileError();
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xff) {
      offset++;
      continue;
    }
    if (marker === END_OF_IMAGE) {
      keptParts.keep(offset, offset + 2);
      // Phones append further images after the end, and each has its own metadata.
      return keptParts.result();
    }
    const afterHeader = offset + 2 + bytes.readUInt16BE(offset + 2);
    const end = marker === START_OF_SCAN ? endOfScan(bytes, afterHeader) : afterHeader;
    if (end > bytes.length) throw damagedFileError();
    if (isNeededInJpeg(bytes, offset, marker)) keptParts.keep(offset, end);
    offset = end;
  }
  throw damagedFileError();
}

function isNeededInJpeg(bytes: Buffer, offset: number, marker: number): boolean {
  const canBeMetadata = marker === 0xfe || (marker >= 0xe0 && marker <= 0xef);
  if (!canBeMetadata) return true;
  const hasIdentifier = (name: string) => bytes.toString('latin1', offset + 4, offset + 4 + name.length) === name;
  if (marker === 0xe0) return hasIdentifier('JFIF\0') && bytes.readUInt16BE(offset + 2) === BARE_JFIF_LENGTH;
  if (marker === 0xe2) return hasIdentifier('ICC_PROFILE\0');
  return marker === 0xee && hasIdentifier('Adobe');
}

function endOfScan(bytes: Buffer, start: number): number {
  for (let offset = bytes.indexOf(0xff, start); offset >= 0; offset = bytes.indexOf(0xff, offset + 1)) {
    const next = bytes[offset + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return offset;
  }
  throw damagedFileError();
}

const WEBP_HEADER_LENGTH = 12;
const KEPT_WEBP_CHUNKS = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** The bits of VP8X that announce EXIF and XMP. */
const WEBP_METADATA_FLAGS = 0x08 | 0x04;

export function stripWebp(bytes: Buffer): Buffer {
  const keptParts = new KeptParts(bytes);
  keptParts.keep(0, WEBP_HEADER_LENGTH);
  const fileEnd = bytes.readUInt32LE(4) + 8;
  if (fileEnd > bytes.length) throw damagedFileError();
  for (let offset = WEBP_HEADER_LENGTH; offset + 8 <= fileEnd; ) {
    const size = bytes.readUInt32LE(offset + 4);
    if (offset + 8 + size > fileEnd) throw damagedFileError();
    // Chunks begin at even offsets; the last one's padding is sometimes missing.
    const end = Math.min(fileEnd, offset + 8 + size + (size % 2));
    if (KEPT_WEBP_CHUNKS.has(bytes.toString('latin1', offset, offset + 4))) keptParts.keep(offset, end);
    offset = end;
  }
  const result = keptParts.result();
  if (result === bytes) return bytes;
  // This is a copy, so it can be changed. The header must not announce chunks that were removed.
  result.writeUInt32LE(result.length - 8, 4);
  const flagsOffset = WEBP_HEADER_LENGTH + 8;
  if (result.toString('latin1', WEBP_HEADER_LENGTH, WEBP_HEADER_LENGTH + 4) === 'VP8X')
    result[flagsOffset] = (result[flagsOffset] ?? 0) & ~WEBP_METADATA_FLAGS;
  return result;
}

const GIF_IMAGE = 0x2c;
const GIF_EXTENSION = 0x21;
const GIF_TRAILER = 0x3b;
const GIF_CONTROL_LABEL = 0xf9;
const GIF_APPLICATION_LABEL = 0xff;
/** Loop counts, and the colour profile. */
const KEPT_GIF_APPLICATIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

export function stripGif(bytes: Buffer): Buffer {
  const keptParts = new KeptParts(bytes);
  let offset = 13 + colourTableBytes(bytes[10]);
  keptParts.keep(0, offset);
  let imageCount = 0;
  while (offset < bytes.length) {
    const start = offset;
    const block = bytes[offset];
    if (block === GIF_TRAILER) {
      keptParts.keep(offset, offset + 1);
      return keptParts.result();
    }
    if (block === GIF_IMAGE) {
      offset = endOfSubBlocks(bytes, offset + 11 + colourTableBytes(bytes[offset + 9]));
      imageCount++;
    } else if (block === GIF_EXTENSION) offset = endOfSubBlocks(bytes, offset + 2);
    else throw damagedFileError();
    if (block === GIF_IMAGE || isNeededInGif(bytes, start)) keptParts.keep(start, offset);
  }
  // Some writers leave out the trailer, and readers do not need it.
  if (imageCount > 0) return keptParts.result();
  throw damagedFileError();
}

/** Comments and plain text are metadata, as are all but a few application blocks. */
function isNeededInGif(bytes: Buffer, offset: number): boolean {
  const label = bytes[offset + 1];
  if (label === GIF_CONTROL_LABEL) return true;
  return (
    label === GIF_APPLICATION_LABEL && KEPT_GIF_APPLICATIONS.has(bytes.toString('latin1', offset + 3, offset + 14))
  );
}

function colourTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Data comes in blocks of at most 255 bytes, and an empty block ends it. */
function endOfSubBlocks(bytes: Buffer, start: number): number {
  for (let offset = start; offset < bytes.length; offset += 1 + (bytes[offset] ?? 0))
    if (bytes[offset] === 0) return offset + 1;
  throw damagedFileError();
}
