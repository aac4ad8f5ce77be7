import { crc32 } from 'node:zlib';
import { recognise } from '../files/recognise.ts';
import { mediaTypes } from '../media-types.ts';

/** Encoders write chunks of at least 8 KiB, so a file that is held in memory has fewer. */
const MAX_CHUNKS = 150;
const SIGNATURE_LENGTH = 8;
const CHUNK_OVERHEAD = 12;
/** Depth, colours, compression, filter and interlacing: 8 or 16 bits per channel, and no palette. */
const FORMAT = /^(?:08|10)0[0246]00000[01]$/;
/** Nothing but pixels and what defines their colours. */
const CHUNKS = /^IHDR(?:sRGB|gAMA|cHRM|iCCP|sBIT|pHYs)*(?:IDAT)+IEND$/;

/**
 * Whether nothing has to be removed from a PNG of at most `maxPixels`, and its header is intact. Decodes nothing and takes a bounded number of
 * steps, so it does not need the media process.
 */
export function isPlainPng(bytes: Buffer, maxPixels: number): boolean {
  if (recognise(bytes) !== mediaTypes.png) return false;
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
