import type { PassingBytes } from '../../../lib/passing-bytes.ts';
import { type FileContent, inMemory } from '../content.ts';
import { tooLarge } from '../errors.ts';
import type { PrivateFile, PrivateFiles } from './private-files.ts';
import type { Claim, Room } from './room.ts';

/** The bound on file bytes in the bot's own memory. Nobody waits for it: what has no room in memory goes to the disk. */
export class Memory {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  tryTake(bytes: number): boolean {
    if (this.#used + bytes > this.#most) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}

/** A file of unknown size begins with so much memory and gets as much again as it has. */
const FIRST_STEP = 64 * 1024;
/** However small a file is, it counts so much: that bounds how many there are. */
const LEAST_CLAIM = 128 * 1024;

/** A file that has arrived. Whoever has it gives its room back. */
export interface Held {
  readonly content: FileContent;
  release(): void;
}

export interface Places {
  readonly room: Room;
  readonly memory: Memory;
  readonly files: PrivateFiles;
  readonly passing: PassingBytes;
  /** A larger file lies on the disk. */
  readonly inMemory: number;
}

interface Arriving {
  readonly most: number;
  /** What the host says its size is. Nothing is claimed for it. */
  readonly announced?: number | undefined;
  readonly signal: AbortSignal;
}

/** All of a file. What was taken of it is given back where its pieces break off. */
export async function received(pieces: AsyncIterable<Uint8Array>, places: Places, arriving: Arriving): Promise<Held> {
  const receiver = new Receiver(places, arriving);
  try {
    for await (const piece of pieces) {
      arriving.signal.throwIfAborted();
      await receiver.take(piece, arriving.signal);
    }
    return await receiver.finish();
  } catch (error) {
    receiver.discard();
    throw error;
  }
}

/** Takes a file piece by piece: into memory where it is small and there is room, else into a private file. */
class Receiver {
  readonly #places: Places;
  readonly #most: number;
  readonly #announced: number;
  readonly #claim: Claim;
  #claimed = 0;
  #size = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #file: PrivateFile | undefined;

  constructor(places: Places, { most, announced = Number.POSITIVE_INFINITY }: Arriving) {
    this.#places = places;
    this.#most = most;
    this.#announced = announced;
    this.#claim = places.room.claim();
  }

  async take(piece: Uint8Array, signal: AbortSignal): Promise<void> {
    const size = this.#size + piece.byteLength;
    if (size > this.#most) throw tooLarge(this.#most);
    const owed = Math.max(size, Math.min(LEAST_CLAIM, this.#most)) - this.#claimed;
    if (owed > 0) {
      await this.#claim.take(owed, signal);
      this.#claimed += owed;
    }
    if (!this.#file && !this.#fitsInMemory(size)) await this.#moveToDisk();
    if (this.#file) await this.#file.write(piece);
    else this.#bytes.set(piece, this.#size);
    this.#size = size;
    this.#places.passing.count(piece.byteLength);
  }

  async finish(): Promise<Held> {
    this.#claim.settle(Math.max(this.#size, Math.min(this.#claimed, LEAST_CLAIM)));
    if (this.#file) {
      await this.#file.close();
      return { content: { size: this.#size, path: this.#file.path }, release: () => this.discard() };
    }
    if (this.#bytes.length > this.#size) {
      const spare = this.#bytes.length - this.#size;
      // A view would keep all of what was reserved.
      this.#bytes = Buffer.from(this.#bytes.subarray(0, this.#size));
      this.#places.memory.giveBack(spare);
    }
    return { content: inMemory(this.#bytes), release: () => this.discard() };
  }

  /** Gives everything back; a second time it gives nothing. */
  discard(): void {
    const { memory } = this.#places;
    memory.giveBack(this.#bytes.length);
    this.#bytes = Buffer.alloc(0);
    const file = this.#file;
    this.#file = undefined;
    // Room on the disk is free when the file is gone. Its removal does not fail.
    if (file) void file.remove().then(() => this.#claim.release());
    else this.#claim.release();
  }

  #fitsInMemory(size: number): boolean {
    const { inMemory: most, memory } = this.#places;
    if (size > most || (this.#announced > most && this.#announced < Number.POSITIVE_INFINITY)) return false;
    if (size <= this.#bytes.length) return true;
    const doubled = Math.max(size, FIRST_STEP, this.#bytes.length * 2);
    const length = Math.max(size, Math.min(doubled, most, this.#announced));
    if (!memory.tryTake(length - this.#bytes.length)) return false;
    const larger = Buffer.allocUnsafeSlow(length);
    this.#bytes.copy(larger);
    this.#bytes = larger;
    return true;
  }

  async #moveToDisk(): Promise<void> {
    const { files, memory } = this.#places;
    this.#file = await files.create();
    await this.#file.write(this.#bytes.subarray(0, this.#size));
    memory.giveBack(this.#bytes.length);
    this.#bytes = Buffer.alloc(0);
  }
}
