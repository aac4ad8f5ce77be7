import type { ContentReader } from '../content.ts';
import { boxHeads } from '../films/boxes.ts';
import type { MediaType } from './types.ts';

/** A film of an hour that was written in pieces of a second has no more; millions of tiny boxes are there to keep us busy. */
const MOST_BOXES = 8_000;
const IN_BOXES = /^(video\/mp4|video\/quicktime|audio\/mp4)$/;

/**
 * Whether a film or sound of the MP4 family is there to its last byte: it is a row of boxes that each say how long they are.
 * A host that ends an answer early without saying so would otherwise have half of it shown as the whole. What has more boxes than
 * are looked at counts as whole.
 */
export async function isCutShort(reader: ContentReader, { mime }: MediaType): Promise<boolean> {
  if (!IN_BOXES.test(mime)) return false;
  let end = 0;
  let count = 0;
  for await (const { at, head, length } of boxHeads(reader, MOST_BOXES)) {
    // The last box may go on to the end, however far that is.
    if (length === undefined) return false;
    if (length < head) return true;
    end = at + length;
    count += 1;
  }
  return count < MOST_BOXES && end !== reader.size;
}
