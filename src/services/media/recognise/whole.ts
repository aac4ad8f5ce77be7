import type { MediaType } from './types.ts';

const BOX_HEAD = 8;
const LARGE_BOX_HEAD = 16;

/**
 * Whether a film or sound of the MP4 family is there to its last byte: it is a row of boxes that each say how long they are.
 * A host that ends an answer early without saying so would otherwise have half of it shown as the whole.
 */
export function isCutShort(bytes: Buffer, { mime }: MediaType): boolean {
  if (!/^(video\/mp4|video\/quicktime|audio\/mp4)$/.test(mime)) return false;
  let at = 0;
  while (at < bytes.length) {
    if (bytes.length - at < BOX_HEAD) return true;
    const short = bytes.readUInt32BE(at);
    // The last box may go on to the end, however far that is.
    if (short === 0) return false;
    if (short === 1 && bytes.length - at < LARGE_BOX_HEAD) return true;
    const length = short === 1 ? Number(bytes.readBigUInt64BE(at + BOX_HEAD)) : short;
    if (length < BOX_HEAD) return true;
    at += length;
  }
  return at > bytes.length;
}
