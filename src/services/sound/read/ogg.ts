import { SUM_AT, sumOf } from '../ogg-sum.ts';

const HEAD_BYTES = 27;
const CONTINUED = 1;
const LAST = 4;
/** A file with more pages than this that are none is not worth searching on. */
const MOST_BROKEN = 200;

export interface OggPacket {
  data: Buffer;
  /** On the last packet of a page: where the sound stands after it. */
  granule?: number;
  isLast: boolean;
}

/** The packets of the first stream in an Ogg file (RFC 3533). Pages that are broken are left out, and what they would have completed. */
export function* packetsOf(bytes: Buffer): Generator<OggPacket> {
  let serial: number | undefined;
  let expected: number | undefined;
  let begun: Buffer[] = [];
  let broken = 0;
  for (let at = bytes.indexOf('OggS'); at !== -1; at = bytes.indexOf('OggS', at)) {
    const page = pageAt(bytes, at);
    if (!page) {
      at += 4;
      if (++broken > MOST_BROKEN) return;
      continue;
    }
    at += page.length;
    const flags = page[5] ?? 0;
    serial ??= page.readUInt32LE(14);
    if (page.readUInt32LE(14) !== serial) continue;
    const number = page.readUInt32LE(18);
    const goesOn = (flags & CONTINUED) !== 0 && number === expected && begun.length > 0;
    if (!goesOn) begun = [];
    expected = number + 1;
    yield* packetsIn(page, begun, (flags & CONTINUED) !== 0 && !goesOn);
    if ((flags & LAST) !== 0) return;
  }
}

/** What a page completes. What it only begins is left in `begun` for the next one. */
function* packetsIn(page: Buffer, begun: Buffer[], isTorn: boolean): Generator<OggPacket> {
  const lengths = page.subarray(HEAD_BYTES, HEAD_BYTES + (page[26] ?? 0));
  const lastEnd = lengths.findLastIndex((length) => length < 255);
  let at = HEAD_BYTES + lengths.length;
  let skipping = isTorn;
  for (const [index, length] of lengths.entries()) {
    begun.push(page.subarray(at, at + length));
    at += length;
    if (length === 255) continue;
    const data = begun.length === 1 ? page.subarray(at - length, at) : Buffer.concat(begun);
    begun.length = 0;
    const isEnd = index === lastEnd;
    const granule = isEnd ? { granule: Number(page.readBigInt64LE(6)) } : {};
    if (!skipping) yield { data, ...granule, isLast: isEnd && ((page[5] ?? 0) & LAST) !== 0 };
    skipping = false;
  }
  // Nothing ended here: what goes on in the next page has lost its beginning all the same.
  if (skipping) begun.length = 0;
}

function pageAt(bytes: Buffer, at: number): Buffer | undefined {
  const lengths = at + HEAD_BYTES;
  if (lengths > bytes.length || bytes[at + 4] !== 0) return undefined;
  const start = lengths + (bytes[at + 26] ?? 0);
  let end = start;
  for (let index = lengths; index < start; index++) end += bytes[index] ?? 0;
  if (end > bytes.length) return undefined;
  const page = bytes.subarray(at, end);
  return page.readUInt32LE(SUM_AT) === sumOf(page) ? page : undefined;
}
