import { damaged } from '../errors.ts';
import { Keep } from './keep.ts';

const HEAD = 12;
const NEEDED = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** The bits of VP8X that announce EXIF and XMP. */
const NOTES = 0x08 | 0x04;

export function strippedWebp(bytes: Buffer): Buffer {
  const keep = new Keep(bytes);
  keep.part(0, HEAD);
  const fileEnd = bytes.readUInt32LE(4) + 8;
  if (fileEnd > bytes.length) throw damaged();
  for (let at = HEAD; at + 8 <= fileEnd; ) {
    const size = bytes.readUInt32LE(at + 4);
    if (at + 8 + size > fileEnd) throw damaged();
    // Chunks begin at even places; the last one's filling is sometimes forgotten.
    const end = Math.min(fileEnd, at + 8 + size + (size % 2));
    if (NEEDED.has(bytes.toString('latin1', at, at + 4))) keep.part(at, end);
    at = end;
  }
  const result = keep.result();
  return result === bytes ? bytes : withoutMention(result);
}

/** A new copy, so that it may be written to. */
function withoutMention(copy: Buffer): Buffer {
  copy.writeUInt32LE(copy.length - 8, 4);
  if (copy.toString('latin1', HEAD, HEAD + 4) === 'VP8X') copy[HEAD + 8] = (copy[HEAD + 8] ?? 0) & ~NOTES;
  return copy;
}
