import sharp, { type Sharp } from 'sharp';
import { damaged } from '../errors.ts';
import type { MediaLimits } from '../limits.ts';

export interface Drawing {
  /** All frames instead of the first one. */
  moves?: boolean;
  draw(picture: Sharp): Sharp;
}

/** Where pictures are decoded and drawn anew: few at a time, because one of them can take hundreds of megabytes. */
export class Workbench {
  readonly pixels: number;
  #free: number;
  readonly #waiting = new Set<() => void>();
  readonly #atWork = new Set<Promise<unknown>>();

  constructor({ pixels, picturesAtOnce }: Pick<MediaLimits, 'pixels' | 'picturesAtOnce'>) {
    this.pixels = pixels;
    this.#free = picturesAtOnce;
    // Settings of the whole process: nothing is drawn twice here, and one thread a picture is what memory is counted for.
    sharp.cache(false);
    sharp.concurrency(1);
  }

  /** Stops waiting at an abort; what is being drawn already is drawn to its end. */
  async draw(bytes: Buffer, { moves = false, draw }: Drawing, signal: AbortSignal): Promise<Buffer> {
    await this.#turn(signal);
    const picture = sharp(bytes, { animated: moves, limitInputPixels: this.pixels, failOn: 'error' });
    const work = draw(picture).toBuffer();
    this.#atWork.add(work);
    try {
      return await work;
    } catch (error) {
      throw damaged(error);
    } finally {
      this.#atWork.delete(work);
      this.#passOn();
    }
  }

  /** Whoever waits is told by the signal; here only what cannot be stopped is waited for. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#atWork);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
