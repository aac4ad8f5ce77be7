import type { FilmFacts } from './facts.ts';

/** Where the content of a box lies, its head left out. */
interface Box {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

const HEAD = 8;
const LARGE_HEAD = 16;
/** A table of contents has a few dozen; thousands of tiny ones are there to keep us busy. */
const MOST_BOXES = 500;

/** The table of contents of a film of the MP4 family (ISO 14496-12, 8.2, 8.3 and 8.8). */
export function mp4Facts(bytes: Buffer): FilmFacts {
  const moov = boxes(bytes, 0, bytes.length).find(({ kind }) => kind === 'moov');
  if (!moov) return {};
  const parts = boxes(bytes, moov.start, moov.end);
  const seconds = secondsOf(bytes, parts);
  const size = parts.flatMap((part) => (part.kind === 'trak' ? (sizeOf(bytes, part) ?? []) : []))[0];
  return { ...size, ...(seconds !== undefined && { seconds }) };
}

function secondsOf(bytes: Buffer, parts: readonly Box[]): number | undefined {
  const head = versioned(bytes, named(parts, 'mvhd'));
  if (!head) return undefined;
  const scale = head.number(head.isLong ? 20 : 12, false);
  const whole = head.number(head.isLong ? 24 : 16, head.isLong);
  // A film that was written piece by piece says here how long all pieces are.
  const extension = named(parts, 'mvex');
  const pieces = extension && versioned(bytes, named(boxes(bytes, extension.start, extension.end), 'mehd'));
  const duration = known(whole) ?? known(pieces?.number(4, pieces.isLong));
  return duration === undefined || !scale ? undefined : duration / scale;
}

/** All bits set means that nobody knows. */
function known(duration: number | undefined): number | undefined {
  return duration === undefined || duration === 0 || duration >= 0xffff_ffff ? undefined : duration;
}

function sizeOf(bytes: Buffer, track: Box): { width: number; height: number } | undefined {
  const parts = boxes(bytes, track.start, track.end);
  const media = named(parts, 'mdia');
  const handler = media && named(boxes(bytes, media.start, media.end), 'hdlr');
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

/** The boxes between two places of a file; what does not look like a box ends the list. */
function boxes(bytes: Buffer, from: number, to: number): Box[] {
  const list: Box[] = [];
  for (let at = from; at + HEAD <= to && list.length < MOST_BOXES; ) {
    const short = bytes.readUInt32BE(at);
    const head = short === 1 ? LARGE_HEAD : HEAD;
    if (at + head > to) break;
    // The last one may go on to the end, however far that is.
    const length = short === 0 ? to - at : short === 1 ? Number(bytes.readBigUInt64BE(at + HEAD)) : short;
    if (length < head || at + length > to) break;
    list.push({ kind: bytes.toString('latin1', at + 4, at + HEAD), start: at + head, end: at + length });
    at += length;
  }
  return list;
}
