import { crc32 } from 'node:zlib';
import { recognise } from '../files/recognise.ts';
import { type MediaType, mediaTypes, type SourceType, sourceTypes } from '../media-types.ts';

/** How a result is marked to show where it comes from. */
export interface Provenance {
  /** Undefined if results are not marked. */
  sourceType?: SourceType | undefined;
}

// https://cv.iptc.org/newscodes/digitalsourcetype/
const VOCABULARY = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

/** The XMP packet that programs and sites read. */
export const xmpPacket = (sourceType: SourceType): Buffer =>
  Buffer.from(
    [
      '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>',
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
      '<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">',
      `<Iptc4xmpExt:DigitalSourceType>${VOCABULARY}${sourceType}</Iptc4xmpExt:DigitalSourceType>`,
      '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>',
    ].join(''),
  );

/** More than the size of a packet, including everything that a format needs around it. */
export const MAX_MARK_BYTES = 1_024;

/** The mark that a file already has. */
export function sourceTypeIn(xmp: Buffer | undefined): SourceType | undefined {
  const text = xmp?.toString('latin1') ?? '';
  return sourceTypes.find((type) => text.includes(`${VOCABULARY}${type}<`) || text.includes(`${VOCABULARY}${type}"`));
}

/** Adds a mark to a file without metadata. Files in formats that do not support marks are returned unchanged. */
export function markImage(bytes: Buffer, type: MediaType, sourceType: SourceType): Buffer {
  const packet = xmpPacket(sourceType);
  if (type === mediaTypes.png) return markPng(bytes, packet);
  if (type === mediaTypes.jpeg) return markJpeg(bytes, packet);
  return type === mediaTypes.webp ? markWebp(bytes, packet) : bytes;
}

/** The signature and the header chunk, which comes first. */
const PNG_HEADER_LENGTH = 8 + 25;

function markPng(bytes: Buffer, packet: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from('iTXtXML:com.adobe.xmp\0\0\0\0\0', 'latin1'), packet]);
  const chunk = Buffer.alloc(data.length + 8);
  chunk.writeUInt32BE(data.length - 4, 0);
  data.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(data), data.length + 4);
  return Buffer.concat([bytes.subarray(0, PNG_HEADER_LENGTH), chunk, bytes.subarray(PNG_HEADER_LENGTH)]);
}

const JFIF_MARKER = 0xe0;

function markJpeg(bytes: Buffer, packet: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1'), packet]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  // JFIF must come first.
  const offset = bytes[3] === JFIF_MARKER ? 4 + bytes.readUInt16BE(4) : 2;
  return Buffer.concat([bytes.subarray(0, offset), head, data, bytes.subarray(offset)]);
}

const WEBP_HEADER_LENGTH = 12;
const XMP_FLAG = 0x04;
const ALPHA_FLAG = 0x10;

function markWebp(bytes: Buffer, packet: Buffer): Buffer {
  const extended =
    bytes.toString('latin1', WEBP_HEADER_LENGTH, WEBP_HEADER_LENGTH + 4) === 'VP8X' ? bytes : extendedWebp(bytes);
  if (!extended) return bytes;
  const padding = Buffer.alloc(packet.length % 2);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(packet.length);
  const evenPadding = Buffer.alloc(extended.length % 2);
  const result = Buffer.concat([extended, evenPadding, Buffer.from('XMP ', 'latin1'), size, packet, padding]);
  result[WEBP_HEADER_LENGTH + 8] = (result[WEBP_HEADER_LENGTH + 8] ?? 0) | XMP_FLAG;
  result.writeUInt32LE(result.length - 8, 4);
  return result;
}

/** The same image in the extended format, which can contain metadata. The size of the image is read from the start of its data. */
function extendedWebp(bytes: Buffer): Buffer | undefined {
  const canvas = canvasOf(bytes);
  if (!canvas) return undefined;
  const chunk = Buffer.alloc(18);
  chunk.write('VP8X', 0, 'latin1');
  chunk.writeUInt32LE(10, 4);
  chunk[8] = canvas.hasAlpha ? ALPHA_FLAG : 0;
  chunk.writeUIntLE(canvas.width - 1, 12, 3);
  chunk.writeUIntLE(canvas.height - 1, 15, 3);
  return Buffer.concat([bytes.subarray(0, WEBP_HEADER_LENGTH), chunk, bytes.subarray(WEBP_HEADER_LENGTH)]);
}

function canvasOf(bytes: Buffer): { width: number; height: number; hasAlpha: boolean } | undefined {
  const kind = bytes.toString('latin1', WEBP_HEADER_LENGTH, WEBP_HEADER_LENGTH + 4);
  const data = WEBP_HEADER_LENGTH + 8;
  if (bytes.length < data + 10) return undefined;
  if (kind === 'VP8 ') {
    // https://www.rfc-editor.org/rfc/rfc6386#section-9.1: a key frame that is shown, in versions 0 to 3, and the length of its first partition.
    const tag = bytes.readUIntLE(data, 3);
    if ((tag & 0x19) !== 0x10 || tag >>> 5 >= bytes.readUInt32LE(data - 4)) return undefined;
    if (bytes.readUIntBE(data + 3, 3) !== 0x9d012a) return undefined;
    return {
      width: bytes.readUInt16LE(data + 6) & 0x3fff,
      height: bytes.readUInt16LE(data + 8) & 0x3fff,
      hasAlpha: false,
    };
  }
  if (kind !== 'VP8L' || bytes[data] !== 0x2f) return undefined;
  const bits = bytes.readUInt32LE(data + 1);
  if (bits >>> 29 !== 0) return undefined;
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, hasAlpha: ((bits >>> 28) & 1) === 1 };
}

/** Whether the file contains a C2PA manifest, whose hash covers every other byte. */
export function hasManifest(bytes: Buffer, type: MediaType): boolean {
  if (type === mediaTypes.png) return chunksOf(bytes, 8, pngChunk).includes('caBX');
  if (type === mediaTypes.webp) return chunksOf(bytes, WEBP_HEADER_LENGTH, webpChunk).includes('C2PA');
  return type === mediaTypes.jpeg && chunksOf(bytes, 2, jpegSegment).includes('c2pa');
}

/** Reads the type of the block at a position, and where the next one begins. Undefined if nothing of interest follows. */
type ChunkReader = (bytes: Buffer, offset: number) => { name: string; next: number } | undefined;

function chunksOf(bytes: Buffer, start: number, readChunk: ChunkReader): string[] {
  const names: string[] = [];
  for (let offset = start; ; ) {
    const nextChunk = readChunk(bytes, offset);
    if (!nextChunk || nextChunk.next <= offset) return names;
    names.push(nextChunk.name);
    offset = nextChunk.next;
  }
}

const pngChunk: ChunkReader = (bytes, offset) =>
  offset + 12 > bytes.length
    ? undefined
    : { name: bytes.toString('latin1', offset + 4, offset + 8), next: offset + 12 + bytes.readUInt32BE(offset) };

function webpChunk(bytes: Buffer, offset: number): ReturnType<ChunkReader> {
  if (offset + 8 > bytes.length) return undefined;
  const size = bytes.readUInt32LE(offset + 4);
  return { name: bytes.toString('latin1', offset, offset + 4), next: offset + 8 + size + (size % 2) };
}

const START_OF_SCAN = 0xda;
const APP11 = 0xeb;

function jpegSegment(bytes: Buffer, offset: number): ReturnType<ChunkReader> {
  const marker = bytes[offset + 1] ?? START_OF_SCAN;
  if (offset + 4 > bytes.length || bytes[offset] !== 0xff || marker === START_OF_SCAN) return undefined;
  const next = offset + 2 + bytes.readUInt16BE(offset + 2);
  const isManifest = marker === APP11 && bytes.subarray(offset + 4, Math.min(next, offset + 200)).includes('c2pa');
  return { name: isManifest ? 'c2pa' : '', next };
}

const GPS_TAG = 0x8825;
const MAX_TAGS = 1_000;

export const hasLocation = ({ exif, xmp }: { exif?: Buffer | undefined; xmp?: Buffer | undefined }): boolean =>
  (exif !== undefined && hasGps(exif)) || (xmp?.includes('exif:GPS') ?? false);

/** Looks for the tag in the first directory of a TIFF structure, with or without the `Exif` before it. */
function hasGps(exif: Buffer): boolean {
  const tiff = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;
  if (tiff.length < 8) return false;
  const isLittleEndian = tiff.toString('latin1', 0, 2) === 'II';
  const readShort = (offset: number): number =>
    offset + 2 > tiff.length ? 0 : isLittleEndian ? tiff.readUInt16LE(offset) : tiff.readUInt16BE(offset);
  const start = isLittleEndian ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const tagCount = Math.min(readShort(start), MAX_TAGS);
  return Array.from({ length: tagCount }, (_, index) => readShort(start + 2 + index * 12)).includes(GPS_TAG);
}

/** Encoders write chunks of at least 8 KiB, so a file that is held in memory has fewer. */
const MAX_CHUNKS = 150;
const SIGNATURE_LENGTH = 8;
const CHUNK_OVERHEAD = 12;
/** Depth, colours, compression, filter and interlacing: 8 or 16 bits per channel, and no palette. */
const FORMAT = /^(?:08|10)0[0246]00000[01]$/;
/** Nothing but pixels and what defines their colours. */
const CHUNKS = /^IHDR(?:sRGB|gAMA|cHRM|iCCP|sBIT|pHYs)*(?:IDAT)+IEND$/;

/**
 * The type of a PNG or WebP of at most `maxPixels` from which nothing has to be removed, and whose header is intact. Undefined for any other file.
 * Decodes nothing and takes a bounded number of steps, so it does not need the media process.
 */
export function plainTypeOf(bytes: Buffer, maxPixels: number): MediaType | undefined {
  const type = recognise(bytes);
  const isPlain = type === mediaTypes.png ? isPlainPng : type === mediaTypes.webp ? isPlainWebp : undefined;
  return isPlain?.(bytes, maxPixels) ? type : undefined;
}

function isPlainPng(bytes: Buffer, maxPixels: number): boolean {
  const pixels = bytes.readUInt32BE(16) * bytes.readUInt32BE(20);
  if (pixels === 0 || pixels > maxPixels || !FORMAT.test(bytes.toString('hex', 24, 29))) return false;
  if (crc32(bytes.subarray(12, 29)) !== bytes.readUInt32BE(29)) return false;
  let names = '';
  let offset = SIGNATURE_LENGTH;
  for (let count = 0; count < MAX_CHUNKS && offset + CHUNK_OVERHEAD <= bytes.length; count++) {
    names += bytes.toString('latin1', offset + 4, offset + 8);
    offset += CHUNK_OVERHEAD + bytes.readUInt32BE(offset);
  }
  return offset === bytes.length && CHUNKS.test(names);
}

/** A larger WebP is neither read nor written. */
export const MAX_WEBP_SIDE = 16_383;

/** Whether one chunk of pixels is the whole file, so that there is no animation and no metadata. */
function isPlainWebp(bytes: Buffer, maxPixels: number): boolean {
  const canvas = canvasOf(bytes);
  if (!canvas || bytes.readUInt32LE(4) + 8 !== bytes.length) return false;
  const { width, height } = canvas;
  if (width * height === 0 || width * height > maxPixels || Math.max(width, height) > MAX_WEBP_SIDE) return false;
  return webpChunk(bytes, WEBP_HEADER_LENGTH)?.next === bytes.length;
}
