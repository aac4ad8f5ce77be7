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

/** The boxes between two places of a file; what does not look like a box ends the list. */
export function boxesOf(bytes: Uint8Array, from = 0, to = bytes.length): Box[] {
  const view = viewOf(bytes);
  const boxes: Box[] = [];
  let start = from;
  while (start + HEADER <= to) {
    const written = view.getUint32(start);
    const size = written === 1 ? Number(view.getBigUint64(start + HEADER)) : written;
    if (size < HEADER || start + size > to) break;
    boxes.push({ kind: String.fromCharCode(...bytes.subarray(start + 4, start + 8)), start, end: start + size });
    start += size;
  }
  return boxes;
}

/**
 * Puts the table of contents before the frames, so that a player can begin before it has the whole file, and adds the
 * list of frames to begin with, which the encoder leaves out: without it every frame claims to stand alone, and seeking
 * lands on rubble.
 */
export function faststart(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const boxes = boxesOf(bytes);
  const [ftyp, moov, mdat] = ['ftyp', 'moov', 'mdat'].map((name) => boxes.find(({ kind }) => kind === name));
  if (!moov || !ftyp || !mdat || moov.start < mdat.start) return new Uint8Array(bytes);
  const table = rebuilt(bytes, moov);
  shiftChunks(table, HEADER, table.length, ftyp.end + table.length - mdat.start);
  return joined([bytes.subarray(0, ftyp.end), table, bytes.subarray(mdat.start, mdat.end)]);
}

/** A box with the list of frames to begin with at the end of its sample table; every container on the way grows along. */
function rebuilt(bytes: Uint8Array, { kind, start, end }: Box): Uint8Array<ArrayBuffer> {
  if (!CONTAINERS.has(kind)) {
    const box = joined([bytes.subarray(start, end)]);
    // The same scene gives the same film, whenever it is shot: "unknown" is zero (ISO 14496-12, 8.2.2).
    return DATED.has(kind) ? box.fill(0, HEADER + 4, HEADER + (box[HEADER] === 1 ? 20 : 12)) : box;
  }
  const inside = boxesOf(bytes, start + HEADER, end);
  const parts = inside.map((part) => rebuilt(bytes, part));
  const added = kind === 'stbl' ? [openings(bytes, inside)] : [];
  const whole = joined([bytes.subarray(start, start + HEADER), ...parts, ...added]);
  viewOf(whole).setUint32(0, whole.length);
  return whole;
}

function openings(bytes: Uint8Array, inside: readonly Box[]): Uint8Array {
  const [sizes, chunks, listed] = ['stsz', 'stco', 'stss'].map((name) => inside.find(({ kind }) => kind === name));
  if (!sizes || !chunks || listed) return new Uint8Array();
  const view = viewOf(bytes);
  const keys: number[] = [];
  let at = view.getUint32(chunks.start + 16);
  for (let frame = 0; frame < view.getUint32(sizes.start + 16); frame++) {
    if (OPENING.includes((bytes[at + 4] ?? 0) & 31)) keys.push(frame + 1);
    at += view.getUint32(sizes.start + 20 + frame * 4);
  }
  const table = new Uint8Array(16 + keys.length * 4);
  table.set(new TextEncoder().encode('stss'), 4);
  const out = viewOf(table);
  out.setUint32(0, table.length);
  out.setUint32(12, keys.length);
  for (const [index, key] of keys.entries()) out.setUint32(16 + index * 4, key);
  return table;
}

/** Chunk offsets count from the start of the file, so they move with the frames. */
function shiftChunks(table: Uint8Array, from: number, to: number, by: number): void {
  const view = viewOf(table);
  for (const { kind, start, end } of boxesOf(table, from, to)) {
    if (CONTAINERS.has(kind)) shiftChunks(table, start + HEADER, end, by);
    if (kind !== 'stco') continue;
    for (let at = start + 16; at < end; at += 4) view.setUint32(at, view.getUint32(at) + by);
  }
}

const joined = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
