import type { PassingBytes } from '../../../lib/passing-bytes.ts';
import { type FileContent, memoryContent } from '../content.ts';
import { tooLargeError } from '../errors.ts';
import type { CapacityPool, Claim } from './capacity.ts';
import type { PrivateFile, PrivateFiles } from './private-files.ts';

/** The first buffer for a file of unknown size; its size doubles when it is full. */
const INITIAL_BYTES = 64 * 1024;
/** Even a small file counts as this many bytes, which limits the number of files. */
const MIN_CLAIM = 128 * 1024;

/** A file that has arrived. Its owner has to give back its room. */
export interface HeldFile {
  readonly content: FileContent;
  release(): void;
}

export interface FileStorage {
  readonly room: CapacityPool;
  /** The room for files in the bot's own memory. Nothing waits for it, because a file that does not fit is stored on disk. */
  readonly memory: { freeBytes: number };
  readonly files: PrivateFiles;
  readonly passing: PassingBytes;
  /** Larger files are stored on disk. */
  readonly inMemory: number;
}

interface Arriving {
  readonly max: number;
  /** The size that the host announces. Nothing is claimed for it. */
  readonly announced?: number | undefined;
  readonly signal: AbortSignal;
}

/** Receives a whole file. If the chunks break off, all memory that was claimed for the file is released. */
export async function receiveFile(
  pieces: AsyncIterable<Uint8Array>,
  places: FileStorage,
  arriving: Arriving,
): Promise<HeldFile> {
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

class Receiver {
  readonly #places: FileStorage;
  readonly #max: number;
  readonly #announced: number;
  readonly #claim: Claim;
  #claimed = 0;
  #size = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #file: PrivateFile | undefined;

  constructor(places: FileStorage, { max, announced = Number.POSITIVE_INFINITY }: Arriving) {
    this.#places = places;
    this.#max = max;
    this.#announced = announced;
    this.#claim = places.room.claim();
  }

  async take(piece: Uint8Array, signal: AbortSignal): Promise<void> {
    const size = this.#size + piece.byteLength;
    if (size > this.#max) throw tooLargeError(this.#max);
    const missing = Math.max(size, Math.min(MIN_CLAIM, this.#max)) - this.#claimed;
    if (missing > 0) {
      await this.#claim.take(missing, signal);
      this.#claimed += missing;
    }
    if (!this.#file && !this.#fitsInMemory(size)) await this.#moveToDisk();
    if (this.#file) await this.#file.write(piece);
    else this.#bytes.set(piece, this.#size);
    this.#size = size;
    this.#places.passing.count(piece.byteLength);
  }

  async finish(): Promise<HeldFile> {
    this.#claim.settle(Math.max(this.#size, Math.min(this.#claimed, MIN_CLAIM)));
    if (this.#file) {
      await this.#file.close();
      return { content: { size: this.#size, path: this.#file.path }, release: () => this.discard() };
    }
    if (this.#bytes.length > this.#size) {
      const spare = this.#bytes.length - this.#size;
      // A view would keep the whole buffer in memory.
      this.#bytes = Buffer.from(this.#bytes.subarray(0, this.#size));
      this.#places.memory.freeBytes += spare;
    }
    return { content: memoryContent(this.#bytes), release: () => this.discard() };
  }

  /** Gives everything back; a second call does nothing. */
  discard(): void {
    this.#leaveMemory();
    const file = this.#file;
    this.#file = undefined;
    // The room on disk is only free once the file is gone. Removing it does not fail.
    if (file) void file.remove().then(() => this.#claim.release());
    else this.#claim.release();
  }

  #fitsInMemory(size: number): boolean {
    const { inMemory: max, memory } = this.#places;
    if (size > max || (this.#announced > max && this.#announced < Number.POSITIVE_INFINITY)) return false;
    if (size <= this.#bytes.length) return true;
    const doubled = Math.max(size, INITIAL_BYTES, this.#bytes.length * 2);
    const length = Math.max(size, Math.min(doubled, max, this.#announced));
    const taken = length - this.#bytes.length;
    if (taken > memory.freeBytes) return false;
    memory.freeBytes -= taken;
    const larger = Buffer.allocUnsafeSlow(length);
    this.#bytes.copy(larger);
    this.#bytes = larger;
    return true;
  }

  async #moveToDisk(): Promise<void> {
    this.#file = await this.#places.files.create();
    await this.#file.write(this.#bytes.subarray(0, this.#size));
    this.#leaveMemory();
  }

  #leaveMemory(): void {
    this.#places.memory.freeBytes += this.#bytes.length;
    this.#bytes = Buffer.alloc(0);
  }
}
