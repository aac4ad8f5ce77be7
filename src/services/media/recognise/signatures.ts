import { type MediaType, mediaTypes } from './types.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
/** Signature, IHDR and IEND: less is no picture. */
const LEAST_PNG = 8 + 25 + 12;

export const text = (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end);

export function isPng(bytes: Buffer): boolean {
  return bytes.length >= LEAST_PNG && bytes.subarray(0, PNG.length).equals(PNG);
}

/** A start, and a first segment with another one behind it. */
export function isJpeg(bytes: Buffer): boolean {
  if (bytes.length < 8 || bytes.readUIntBE(0, 3) !== 0xffd8ff) return false;
  let at = 3;
  while (bytes[at] === 0xff) at++;
  const marker = bytes[at] ?? 0;
  if (marker < 0xc0 || marker === 0xd8 || marker === 0xd9 || at + 3 > bytes.length) return false;
  return bytes[at + 1 + bytes.readUInt16BE(at + 1)] === 0xff;
}

/** A screen with a size, and the first block of the contents behind its table of colours. */
export function isGif(bytes: Buffer): boolean {
  if (bytes.length < 14 || !/^GIF8[79]a$/.test(text(bytes, 0, 6))) return false;
  if (bytes.readUInt16LE(6) === 0 || bytes.readUInt16LE(8) === 0) return false;
  const flags = bytes[10] ?? 0;
  const block = bytes[13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))];
  return block === 0x21 || block === 0x2c;
}

/** Two formats in one kind of container. */
export function webpOrWav(bytes: Buffer): MediaType | undefined {
  if (bytes.length < 26 || text(bytes, 0, 4) !== 'RIFF') return undefined;
  const form = text(bytes, 8, 12);
  if (form === 'WEBP') return /^VP8[ LX]$/.test(text(bytes, 12, 16)) ? mediaTypes.webp : undefined;
  // Some writers put other chunks first.
  const head = bytes.subarray(12, 4_096);
  return form === 'WAVE' && head.includes('fmt ') && bytes.length >= 44 ? mediaTypes.wav : undefined;
}
