import { once } from 'node:events';
import { createGzip } from 'node:zlib';

/** A file with everything in it; compressed where it would not have fitted as it is. */
export interface Packed {
  bytes: Buffer;
  isCompressed: boolean;
}

/**
 * Takes a text in pieces and holds no more than `most` bytes of it: what is longer is compressed as it comes. undefined: even so it does
 * not fit.
 */
export async function packed(pieces: AsyncIterable<string>, most: number): Promise<Packed | undefined> {
  let held: Buffer[] = [];
  let size = 0;
  let compressing: Compressing | undefined;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (!compressing && size > most) {
      compressing = new Compressing(most);
      for (const before of held) await compressing.add(before);
      held = [];
    }
    if (!compressing) held.push(bytes);
    else await compressing.add(bytes);
    if (compressing?.isTooLarge) break;
  }
  if (!compressing) return { bytes: Buffer.concat(held), isCompressed: false };
  const bytes = await compressing.end();
  return bytes && { bytes, isCompressed: true };
}

class Compressing {
  readonly #gzip = createGzip();
  readonly #most: number;
  readonly #out: Buffer[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
    this.#gzip.on('data', (bytes: Buffer) => {
      this.#size += bytes.length;
      if (this.isTooLarge) this.#out.length = 0;
      else this.#out.push(bytes);
    });
  }

  get isTooLarge(): boolean {
    return this.#size > this.#most;
  }

  async add(bytes: Buffer): Promise<void> {
    if (!this.#gzip.write(bytes)) await once(this.#gzip, 'drain');
  }

  async end(): Promise<Buffer | undefined> {
    const ended = once(this.#gzip, 'end');
    this.#gzip.end();
    await ended;
    return this.isTooLarge ? undefined : Buffer.concat(this.#out);
  }
}
