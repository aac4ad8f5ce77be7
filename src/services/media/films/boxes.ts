import type { ContentReader } from '../content.ts';

/** A part of a file of the MP4 family: what it is, and where its content lies, its head left out. */
export interface Box {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

export const BOX_HEAD = 8;
export const LARGE_BOX_HEAD = 16;

/** What a box's head says. `length` counts from the head's first byte; undefined: it goes on to the end, however far that is. */
interface BoxHead {
  readonly kind: string;
  readonly head: number;
  readonly length: number | undefined;
}

/** Undefined where what is left is too short for a head. */
export function boxHead(bytes: Buffer): BoxHead | undefined {
  if (bytes.length < BOX_HEAD) return undefined;
  const short = bytes.readUInt32BE(0);
  const head = short === 1 ? LARGE_BOX_HEAD : BOX_HEAD;
  if (bytes.length < head) return undefined;
  const length = short === 1 ? Number(bytes.readBigUInt64BE(BOX_HEAD)) : short;
  return { kind: bytes.toString('latin1', 4, BOX_HEAD), head, length: short === 0 ? undefined : length };
}

/** Of the boxes that a file consists of, the heads of the first so many; each costs one small read. */
export async function* boxHeads(reader: ContentReader, most: number): AsyncGenerator<BoxHead & { at: number }> {
  let at = 0;
  for (let count = 0; count < most && at < reader.size; count++) {
    const box = boxHead(await reader.read(at, LARGE_BOX_HEAD));
    if (!box) return;
    yield { ...box, at };
    if (box.length === undefined || box.length < box.head) return;
    at += box.length;
  }
}
