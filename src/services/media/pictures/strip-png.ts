import { damaged } from '../errors.ts';
import { Keep } from './keep.ts';

const SIGNATURE = 8;
/** Length, type and checksum around the data of a chunk. */
const AROUND = 12;

/** What the pixels, their colours and their motion need. Whatever else there is, or ever will be, is somebody's note. */
const NEEDED = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'bKGD'],
  ...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'cICP', 'mDCV', 'cLLI', 'pHYs'],
  ...['acTL', 'fcTL', 'fdAT'],
]);

export function strippedPng(bytes: Buffer): Buffer {
  const keep = new Keep(bytes);
  keep.part(0, SIGNATURE);
  for (let at = SIGNATURE; at + AROUND <= bytes.length; ) {
    const end = at + AROUND + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (end > bytes.length) break;
    if (NEEDED.has(type)) keep.part(at, end);
    // What stands behind the end belongs to no picture.
    if (type === 'IEND') return keep.result();
    at = end;
  }
  throw damaged();
}
