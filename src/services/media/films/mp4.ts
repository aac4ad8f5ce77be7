import type { ContentReader } from '../content.ts';
import { BOX_HEAD, type Box, boxHead, boxHeads, LARGE_BOX_HEAD } from './boxes.ts';
import type { FilmFacts } from './sensible.ts';

/** A table of contents has a few dozen; thousands of tiny ones are there to keep us busy. */
const MOST_BOXES = 500;
/** Of the table itself the beginning counts: what is wanted stands before each track's tables of samples. */
const MOST_OF_TABLE = 1024 * 1024;

/** The table of contents of a film of the MP4 family (ISO 14496-12, 8.2, 8.3 and 8.8), wherever in the file it stands. */
export async function mp4Facts(reader: ContentReader): Promise<FilmFacts> {
  for await (const { at, head, length = reader.size - at, kind } of boxHeads(reader, MOST_BOXES)) {
    if (length < head || at + length > reader.size) return {};
    if (kind === 'moov') return factsIn(await reader.read(at + head, Math.min(length - head, MOST_OF_TABLE)));
  }
  return {};
}

function factsIn(table: Buffer): FilmFacts {
  const left = { boxes: MOST_BOXES };
  const parts = boxes(table, { start: 0, end: table.length }, left);
  const seconds = secondsOf(table, parts, left);
  const size = parts.flatMap((part) => (part.kind === 'trak' ? (sizeOf(table, part, left) ?? []) : []))[0];
  return { ...size, ...(seconds !== undefined && { seconds }) };
}

/** How many boxes may still be looked at, all together. */
interface Left {
  boxes: number;
}

function secondsOf(bytes: Buffer, parts: readonly Box[], left: Left): number | undefined {
  const head = versioned(bytes, named(parts, 'mvhd'));
  if (!head) return undefined;
  const scale = head.number(head.isLong ? 20 : 12, false);
  const whole = head.number(head.isLong ? 24 : 16, head.isLong);
  // A film that was written piece by piece says here how long all pieces are.
  const extension = named(parts, 'mvex');
  const pieces = extension && versioned(bytes, named(boxes(bytes, extension, left), 'mehd'));
  const duration = known(whole) ?? known(pieces?.number(4, pieces.isLong));
  return duration === undefined || !scale ? undefined : duration / scale;
}

/** All bits set means that nobody knows. */
function known(duration: number | undefined): number | undefined {
  return duration === undefined || duration === 0 || duration >= 0xffff_ffff ? undefined : duration;
}

function sizeOf(bytes: Buffer, track: Box, left: Left): { width: number; height: number } | undefined {
  const parts = boxes(bytes, track, left);
  const media = named(parts, 'mdia');
  const handler = media && named(boxes(bytes, media, left), 'hdlr');
  if (!handler || handler.end - handler.start < 12) return undefined;
  if (bytes.toString('latin1', handler.start + 8, handler.start + 12) !== 'vide') return undefined;
  const head = versioned(bytes, named(parts, 'tkhd'));
  if (!head) return undefined;
  const matrix = head.isLong ? 52 : 40;
  // Numbers of 16 bits before and 16 behind the point.
  const [across, down] = [36, 40].map((at) => Math.round((head.number(matrix + at, false) ?? 0) / 0x1_0000));
  if (!across || !down) return undefined;
  // Nothing on the diagonal: a telephone was held upright.
  const isAside = head.number(matrix, false) === 0 && head.number(matrix + 16, false) === 0;
  return isAside ? { width: down, height: across } : { width: across, height: down };
}

const named = (list: readonly Box[], kind: string): Box | undefined => list.find((box) => box.kind === kind);

interface Versioned {
  readonly isLong: boolean;
  /** At so many bytes from the box's start, where there are that many. */
  number(at: number, isLong: boolean): number | undefined;
}

/** A box that begins with a version; the second one has longer times. */
function versioned(bytes: Buffer, box: Box | undefined): Versioned | undefined {
  if (!box || box.end - box.start < 4) return undefined;
  return {
    isLong: bytes[box.start] === 1,
    number(at, isLong) {
      const from = box.start + at;
      if (from + (isLong ? 8 : 4) > box.end) return undefined;
      return isLong ? Number(bytes.readBigUInt64BE(from)) : bytes.readUInt32BE(from);
    },
  };
}

/** The boxes between two places of the table; what does not look like a box ends the list, and the last may be cut off. */
function boxes(bytes: Buffer, { start, end: to }: Pick<Box, 'start' | 'end'>, left: Left): Box[] {
  const list: Box[] = [];
  for (let at = start; at + BOX_HEAD <= to && left.boxes > 0; ) {
    const box = boxHead(bytes.subarray(at, Math.min(to, at + LARGE_BOX_HEAD)));
    if (!box) break;
    const { kind, head, length = to - at } = box;
    if (length < head) break;
    list.push({ kind, start: at + head, end: Math.min(to, at + length) });
    left.boxes -= 1;
    at += length;
  }
  return list;
}
