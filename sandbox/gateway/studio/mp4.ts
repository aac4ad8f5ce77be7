interface Box {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const HEADER = 8;
/** Boxes that begin with a version, when the file was made, and when it was changed. */
const DATED = new Set(['mvhd', 'tkhd', 'mdhd']);
/** The kinds of unit that open a frame which needs no other: a refresh, or the parameter sets that stand only before one. */
const OPENING = [5, 7, 8];

/** The name of a list of frames to begin with. */
const STSS = Buffer.from('stss').readUInt32BE();

/** The boxes between two places of a file; what does not look like a box ends the list. */
export function boxesOf(bytes: Buffer, from = 0, to = bytes.length): Box[] {
  const boxes: Box[] = [];
  for (let start = from; start + HEADER <= to; ) {
    const size = bytes.readUInt32BE(start);
    if (size < HEADER || start + size > to) break;
    boxes.push({ kind: bytes.toString('latin1', start + 4, start + HEADER), start, end: start + size });
    start += size;
  }
  return boxes;
}

/**
 * Puts the table of contents before the frames, so a player can begin before it has the whole file, and adds the
 * list of frames to begin with, which the encoder leaves out: without it every frame claims to stand alone, and seeking
 * lands on rubble.
 */
export function faststart(bytes: Buffer): Buffer {
  const [ftyp, moov, mdat] = named(boxesOf(bytes), 'ftyp', 'moov', 'mdat');
  if (!moov || !ftyp || !mdat || moov.start < mdat.start) return bytes;
  const table = rebuilt(bytes, moov);
  shiftChunks(table, HEADER, table.length, ftyp.end + table.length - mdat.start);
  return Buffer.concat([bytes.subarray(0, ftyp.end), table, bytes.subarray(mdat.start, mdat.end)]);
}

const named = (boxes: readonly Box[], ...names: readonly string[]) =>
  names.map((name) => boxes.find(({ kind }) => kind === name));

/** A box with the list of frames to begin with at the end of its sample table; every container on the way grows along. */
function rebuilt(bytes: Buffer, { kind, start, end }: Box): Buffer {
  if (!CONTAINERS.has(kind)) {
    const box = Buffer.from(bytes.subarray(start, end));
    // The same scene gives the same video, whenever it is made: "unknown" is zero (ISO 14496-12, 8.2.2).
    return DATED.has(kind) ? box.fill(0, HEADER + 4, HEADER + (box[HEADER] === 1 ? 20 : 12)) : box;
  }
  const inside = boxesOf(bytes, start + HEADER, end);
  const added = kind === 'stbl' ? [openings(bytes, inside)] : [];
  const parts = [...inside.map((part) => rebuilt(bytes, part)), ...added];
  const whole = Buffer.concat([bytes.subarray(start, start + HEADER), ...parts]);
  whole.writeUInt32BE(whole.length);
  return whole;
}

function openings(bytes: Buffer, inside: readonly Box[]): Buffer {
  const [sizes, chunks, listed] = named(inside, 'stsz', 'stco', 'stss');
  if (!sizes || !chunks || listed) return Buffer.alloc(0);
  const keys: number[] = [];
  let at = bytes.readUInt32BE(chunks.start + 16);
  for (let frame = 0; frame < bytes.readUInt32BE(sizes.start + 16); frame++) {
    if (OPENING.includes((bytes[at + 4] ?? 0) & 31)) keys.push(frame + 1);
    at += bytes.readUInt32BE(sizes.start + 20 + frame * 4);
  }
  const numbers = [16 + keys.length * 4, STSS, 0, keys.length, ...keys];
  const table = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) table.writeUInt32BE(number, index * 4);
  return table;
}

/** Chunk offsets count from the start of the file, so they move with the frames. */
function shiftChunks(table: Buffer, from: number, to: number, by: number): void {
  for (const { kind, start, end } of boxesOf(table, from, to)) {
    if (CONTAINERS.has(kind)) shiftChunks(table, start + HEADER, end, by);
    if (kind !== 'stco') continue;
    for (let at = start + 16; at < end; at += 4) table.writeUInt32BE(table.readUInt32BE(at) + by, at);
  }
}
