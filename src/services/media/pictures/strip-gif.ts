import { damaged } from '../errors.ts';
import { Keep } from './keep.ts';

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;
const CONTROL = 0xf9;
const APPLICATION = 0xff;
/** Who loops, and the colour profile. */
const NEEDED = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

export function strippedGif(bytes: Buffer): Buffer {
  const keep = new Keep(bytes);
  let at = 13 + tableBytes(bytes[10]);
  keep.part(0, at);
  let images = 0;
  while (at < bytes.length) {
    const start = at;
    const block = bytes[at];
    if (block === TRAILER) {
      keep.part(at, at + 1);
      return keep.result();
    }
    if (block === IMAGE) {
      at = endOfPieces(bytes, at + 11 + tableBytes(bytes[at + 9]));
      images++;
    } else if (block === EXTENSION) at = endOfPieces(bytes, at + 2);
    else throw damaged();
    if (block === IMAGE || isNeeded(bytes, start)) keep.part(start, at);
  }
  // Some writers forget the trailer, and no reader misses it.
  if (images > 0) return keep.result();
  throw damaged();
}

/** Comments and written text are notes, and so is every application's block but a few. */
function isNeeded(bytes: Buffer, at: number): boolean {
  const label = bytes[at + 1];
  if (label === CONTROL) return true;
  return label === APPLICATION && NEEDED.has(bytes.toString('latin1', at + 3, at + 14));
}

function tableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Data comes in pieces of at most 255 bytes; one of no bytes is the last. */
function endOfPieces(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1 + (bytes[at] ?? 0)) if (bytes[at] === 0) return at + 1;
  throw damaged();
}
