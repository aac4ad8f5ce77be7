interface Box {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

const CONTAINER_BOXES = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const HEADER_BYTES = 8;
/** Boxes that begin with a version, a creation time and a modification time. */
const TIMESTAMPED_BOXES = new Set(['mvhd', 'tkhd', 'mdhd']);
/** The NAL unit types at the start of a keyframe: an IDR slice, or the parameter sets that come only before one. */
const KEYFRAME_UNIT_TYPES = [5, 7, 8];

/** The type of the box that lists keyframes. */
const STSS = Buffer.from('stss').readUInt32BE();

/** The boxes between two offsets in a file; the list ends at the first bytes that are not a box. */
export function boxesOf(bytes: Buffer, from = 0, to = bytes.length): Box[] {
  const boxes: Box[] = [];
  for (let start = from; start + HEADER_BYTES <= to; ) {
    const size = bytes.readUInt32BE(start);
    if (size < HEADER_BYTES || start + size > to) break;
    boxes.push({ kind: bytes.toString('latin1', start + 4, start + HEADER_BYTES), start, end: start + size });
    start += size;
  }
  return boxes;
}

/**
 * Moves the index before the frames, so that a player can start before it has the whole file, and adds the list of
 * keyframes, which the encoder omits. Without that list, every frame counts as a keyframe, and seeking shows broken
 * images.
 */
export function faststart(bytes: Buffer): Buffer {
  const [ftyp, moov, mdat] = findBoxes(boxesOf(bytes), 'ftyp', 'moov', 'mdat');
  if (!moov || !ftyp || !mdat || moov.start < mdat.start) return bytes;
  const table = rebuildBox(bytes, moov);
  shiftChunks(table, HEADER_BYTES, table.length, ftyp.end + table.length - mdat.start);
  return Buffer.concat([bytes.subarray(0, ftyp.end), table, bytes.subarray(mdat.start, mdat.end)]);
}

const findBoxes = (boxes: readonly Box[], ...names: readonly string[]) =>
  names.map((name) => boxes.find(({ kind }) => kind === name));

/** Copies a box and adds the list of keyframes at the end of its sample table; the sizes of its containers grow accordingly. */
function rebuildBox(bytes: Buffer, { kind, start, end }: Box): Buffer {
  if (!CONTAINER_BOXES.has(kind)) {
    const box = Buffer.from(bytes.subarray(start, end));
    // Clears the times, so that the same scene always results in the same file; zero means unknown (ISO 14496-12, 8.2.2).
    return TIMESTAMPED_BOXES.has(kind)
      ? box.fill(0, HEADER_BYTES + 4, HEADER_BYTES + (box[HEADER_BYTES] === 1 ? 20 : 12))
      : box;
  }
  const children = boxesOf(bytes, start + HEADER_BYTES, end);
  const addedBoxes = kind === 'stbl' ? [keyframeBox(bytes, children)] : [];
  const parts = [...children.map((part) => rebuildBox(bytes, part)), ...addedBoxes];
  const container = Buffer.concat([bytes.subarray(start, start + HEADER_BYTES), ...parts]);
  container.writeUInt32BE(container.length);
  return container;
}

function keyframeBox(bytes: Buffer, siblings: readonly Box[]): Buffer {
  const [sizes, chunks, existingBox] = findBoxes(siblings, 'stsz', 'stco', 'stss');
  if (!sizes || !chunks || existingBox) return Buffer.alloc(0);
  const keyframes: number[] = [];
  let offset = bytes.readUInt32BE(chunks.start + 16);
  for (let frame = 0; frame < bytes.readUInt32BE(sizes.start + 16); frame++) {
    if (KEYFRAME_UNIT_TYPES.includes((bytes[offset + 4] ?? 0) & 31)) keyframes.push(frame + 1);
    offset += bytes.readUInt32BE(sizes.start + 20 + frame * 4);
  }
  const numbers = [16 + keyframes.length * 4, STSS, 0, keyframes.length, ...keyframes];
  const table = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) table.writeUInt32BE(number, index * 4);
  return table;
}

/** Adjusts the chunk offsets, which count from the start of the file, because the frames have moved. */
function shiftChunks(table: Buffer, from: number, to: number, delta: number): void {
  for (const { kind, start, end } of boxesOf(table, from, to)) {
    if (CONTAINER_BOXES.has(kind)) shiftChunks(table, start + HEADER_BYTES, end, delta);
    if (kind !== 'stco') continue;
    for (let offset = start + 16; offset < end; offset += 4)
      table.writeUInt32BE(table.readUInt32BE(offset) + delta, offset);
  }
}
