import { damaged } from '../errors.ts';
import { Keep } from './keep.ts';

const START_OF_SCAN = 0xda;
const END = 0xd9;
/** JFIF without a thumbnail, which might show what was cut away. */
const BARE_JFIF = 16;

/** Frames, tables, scans, and what says how the colours are meant: the profile and Adobe's mark. */
export function strippedJpeg(bytes: Buffer): Buffer {
  const keep = new Keep(bytes);
  keep.part(0, 2);
  for (let at = 2; at + 4 <= bytes.length || bytes[at + 1] === END; ) {
    if (bytes[at] !== 0xff) throw damaged();
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === END) {
      keep.part(at, at + 2);
      // Phones put further pictures behind the end, each with notes of its own.
      return keep.result();
    }
    const afterHead = at + 2 + bytes.readUInt16BE(at + 2);
    const end = marker === START_OF_SCAN ? endOfScan(bytes, afterHead) : afterHead;
    if (end > bytes.length) throw damaged();
    if (isNeeded(bytes, at, marker)) keep.part(at, end);
    at = end;
  }
  throw damaged();
}

function isNeeded(bytes: Buffer, at: number, marker: number): boolean {
  const isNote = marker === 0xfe || (marker >= 0xe0 && marker <= 0xef);
  if (!isNote) return true;
  const says = (name: string) => bytes.toString('latin1', at + 4, at + 4 + name.length) === name;
  if (marker === 0xe0) return says('JFIF\0') && bytes.readUInt16BE(at + 2) === BARE_JFIF;
  if (marker === 0xe2) return says('ICC_PROFILE\0');
  return marker === 0xee && says('Adobe');
}

/** The next marker that is neither a restart nor a byte of the pixels. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw damaged();
}
