import sharp, { type Metadata, type Sharp } from 'sharp';
import { damaged } from '../errors.ts';

export interface Drawing {
  /** All frames instead of the first one. */
  moves?: boolean;
  /** How much smaller it is drawn, 1 at most. */
  scale?: number;
  /** What the encoder holds of the result while it is at it. */
  outputBytes?: number;
  draw(picture: Sharp): Sharp;
}

interface WorkbenchParts {
  /** The most pixels of one image, all frames counted. */
  readonly pixels: number;
  /** Waits until there is so much memory; what it returns gives it back. What is being drawn already is drawn to its end. */
  claim(bytes: number): Promise<() => void>;
}

/** Where images are decoded and drawn anew, each in memory that was claimed for it before. Only the media process has one. */
export class Workbench {
  readonly pixels: number;
  readonly #claim: WorkbenchParts['claim'];

  constructor({ pixels, claim }: WorkbenchParts) {
    this.pixels = pixels;
    this.#claim = claim;
    // Settings of the whole process: nothing is drawn twice here, and one thread an image is what memory is counted for.
    sharp.cache(false);
    sharp.concurrency(1);
  }

  async draw(bytes: Buffer, { moves = false, scale = 1, outputBytes = 0, draw }: Drawing): Promise<Buffer> {
    const head = await headOf(bytes);
    const release = await this.#claim(bytes.length + decodedBytes(head, { moves, scale }) + outputBytes);
    try {
      const safely = { limitInputPixels: this.pixels, failOn: 'error', sequentialRead: true } as const;
      return await draw(sharp(bytes, { ...safely, animated: moves })).toBuffer();
    } catch (error) {
      throw damaged(error);
    } finally {
      release();
    }
  }
}

/** Reads the head of an image, which costs a few milliseconds and next to no memory whatever the head claims. */
export async function headOf(bytes: Buffer): Promise<Metadata> {
  try {
    return await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata();
  } catch (error) {
    throw damaged(error);
  }
}

/** Lines on their way from decoder to encoder, and the encoder's own. */
const AROUND = 32 * 2 ** 20;

const DEPTH_BYTES = new Map(Object.entries({ char: 1, uchar: 1, short: 2, ushort: 2, int: 4, uint: 4, float: 4 }));
const WIDEST_DEPTH = 8;

/**
 * What decoding takes, from the head of the file. A format that can be read line by line needs hardly anything; where it
 * cannot, the whole image is in memory at once, in the form that its decoder keeps.
 */
function decodedBytes(head: Metadata, { moves, scale }: { moves: boolean; scale: number }): number {
  const { width, height, pages = 1, orientation = 1 } = head;
  const pixels = width * height;
  if (moves) return AROUND + pixels * (head.format === 'webp' ? pages * WEBP_FRAME_BYTES : heldWhole(head));
  // What has to be turned is decoded to its end first.
  if (orientation > 1) return AROUND + pixels * (heldWhole(head) + plain(head));
  // WebP alone is decoded at the size that is wanted, or twice that.
  const shrunk = head.format === 'webp' ? Math.min(1, 4 * scale ** 2) : 1;
  return AROUND + pixels * shrunk * heldWhole(head);
}

const plain = ({ channels, depth = 'uchar' }: Metadata): number => channels * (DEPTH_BYTES.get(depth) ?? WIDEST_DEPTH);

/** Bytes a pixel, measured. */
function heldWhole(head: Metadata): number {
  const { format, isProgressive } = head;
  switch (format) {
    case 'png':
      return isProgressive ? plain(head) : 0;
    case 'jpeg':
      // All scans are needed for the first line: two bytes for each coefficient.
      return isProgressive ? 2 * head.channels : 0;
    case 'gif':
      return GIF_BYTES;
    case 'webp':
      return WEBP_BYTES;
    case 'heif':
      return plain(head) > head.channels ? DEEP_HEIF_BYTES : HEIF_BYTES;
    default:
      return 4 * plain(head);
  }
}

/** A canvas, and the frame that is drawn on it. */
const GIF_BYTES = 6;
/** Planes of brightness and colour, and what is made of them. */
const WEBP_BYTES = 9;
/** Of all frames: the whole animation is there before the first line is. */
const WEBP_FRAME_BYTES = 4;
/** The decoder's frames, its planes once more, and what is made of them. */
const HEIF_BYTES = 20;
const DEEP_HEIF_BYTES = 32;
