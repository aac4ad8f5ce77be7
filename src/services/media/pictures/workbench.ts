import sharp, { type Metadata, type Sharp } from 'sharp';
import { damaged } from '../errors.ts';
import { decodedBytes } from './decoded-bytes.ts';

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
  /** Waits until there is so much memory; what it returns gives it back. */
  claim(bytes: number, signal: AbortSignal): Promise<() => void>;
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

  /** Stops waiting at an abort; what is being drawn already is drawn to its end. */
  async draw(bytes: Buffer, drawing: Drawing, signal: AbortSignal): Promise<Buffer> {
    const { moves = false, scale = 1, outputBytes = 0, draw } = drawing;
    const head = await headOf(bytes);
    const release = await this.#claim(bytes.length + decodedBytes(head, { moves, scale }) + outputBytes, signal);
    try {
      const options = {
        animated: moves,
        limitInputPixels: this.pixels,
        failOn: 'error',
        sequentialRead: true,
      } as const;
      return await draw(sharp(bytes, options)).toBuffer();
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
