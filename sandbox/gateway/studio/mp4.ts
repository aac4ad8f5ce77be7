interface Box {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const HEADER = 8;
/** Boxes that begin with a version, when the file was made, and when it was changed. */
const DATED = new Set(['mvhd', 'tkhd', 'mdhd']);
/** The kind of unit that opens a frame which needs no other to be shown; parameter sets stand only before such a one. */
const INSTANT_REFRESH = 5;
const PARAMETER_SETS = [7, 8];

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
  const moov = boxes.find(({ kind }) => kind === 'moov');
  const ftyp = boxes.find(({ kind }) => kind === 'ftyp');
  const mdat = boxes.find(({ kind }) => kind === 'mdat');
  if (!moov || !ftyp || !mdat || moov.start < mdat.start) return new Uint8Array(bytes);
  const table = rebuilt(bytes, moov, (stbl) => syncTable(bytes, stbl));
  shiftChunks(table, HEADER, table.length, ftyp.end + table.length - mdat.start);
  return joined([bytes.subarray(0, ftyp.end), table, bytes.subarray(mdat.start, mdat.end)]);
}

/** A box with what `extra` gives put at the end of its sample table; every container on the way grows along. */
function rebuilt(bytes: Uint8Array, box: Box, extra: (stbl: Box) => Uint8Array): Uint8Array<ArrayBuffer> {
  if (DATED.has(box.kind)) return undated(bytes.slice(box.start, box.end) as Uint8Array<ArrayBuffer>);
  if (!CONTAINERS.has(box.kind)) return bytes.slice(box.start, box.end) as Uint8Array<ArrayBuffer>;
  const parts = boxesOf(bytes, box.start + HEADER, box.end).map((part) => rebuilt(bytes, part, extra));
  const added = box.kind === 'stbl' ? [extra(box)] : [];
  const whole = joined([bytes.subarray(box.start, box.start + HEADER), ...parts, ...added]);
  viewOf(whole).setUint32(0, whole.length);
  return whole;
}

/** The same scene gives the same film, whenever it is shot: "unknown" is zero (ISO 14496-12, 8.2.2). */
function undated(box: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const isLong = box[HEADER] === 1;
  return box.fill(0, HEADER + 4, HEADER + 4 + (isLong ? 16 : 8));
}

function syncTable(bytes: Uint8Array, stbl: Box): Uint8Array {
  const inside = boxesOf(bytes, stbl.start + HEADER, stbl.end);
  const [sizes, chunks, runs] = ['stsz', 'stco', 'stsc'].map((name) => inside.find(({ kind }) => kind === name));
  if (!sizes || !chunks || !runs || inside.some(({ kind }) => kind === 'stss')) return new Uint8Array();
  const view = viewOf(bytes);
  const keys: number[] = [];
  let at = view.getUint32(chunks.start + 16);
  for (let frame = 0; frame < view.getUint32(sizes.start + 16); frame++) {
    const unit = (bytes[at + 4] ?? 0) & 31;
    if (unit === INSTANT_REFRESH || PARAMETER_SETS.includes(unit)) keys.push(frame + 1);
    at += view.getUint32(sizes.start + 20 + frame * 4);
  }
  const table = new Uint8Array(16 + keys.length * 4);
  const out = viewOf(table);
  out.setUint32(0, table.length);
  table.set(new TextEncoder().encode('stss'), 4);
  out.setUint32(12, keys.length);
  for (const [index, key] of keys.entries()) out.setUint32(16 + index * 4, key);
  return table;
}

/** Chunk offsets count from the start of the file, so they move with the frames. */
function shiftChunks(table: Uint8Array, from: number, to: number, by: number): void {
  const view = viewOf(table);
  for (const box of boxesOf(table, from, to)) {
    if (CONTAINERS.has(box.kind)) shiftChunks(table, box.start + HEADER, box.end, by);
    if (box.kind !== 'stco') continue;
    for (let entry = 0; entry < view.getUint32(box.start + 12); entry++) {
      const at = box.start + 16 + entry * 4;
      view.setUint32(at, view.getUint32(at) + by);
    }
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
