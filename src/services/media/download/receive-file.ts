import type { BufferReclaimer } from '../../../lib/buffer-reclaimer.ts';
import type { CapacityPool, Claim } from '../capacity.ts';
import { type FileContent, memoryContent } from '../content.ts';
import { fileTooLargeError } from '../errors.ts';
import type { PrivateFile, PrivateFiles } from './private-files.ts';

/** The first buffer for a file of unknown size; its size doubles when it is full. */
const INITIAL_BYTES = 64 * 1024;
/** Even a small file counts as this many bytes, which limits the number of files. */
const MIN_CLAIM_BYTES = 128 * 1024;

/** A file that has arrived. Its owner must release the capacity that it takes up. */
export interface HeldFile {
  readonly content: FileContent;
  release(): void;
}

export interface FileStorage {
  readonly capacity: CapacityPool;
  /** The memory that is left for files in the bot's own process. Nothing waits for it, because a file that does not fit is stored on disk. */
  readonly memory: { freeBytes: number };
  readonly files: PrivateFiles;
  readonly reclaimer: BufferReclaimer;
  /** Larger files are stored on disk. */
  readonly maxBytesInMemory: number;
}

interface ReceiveOptions {
  readonly max: number;
  /** The size that the host announces. Nothing is claimed for it. */
  readonly announcedBytes?: number | undefined;
  readonly signal: AbortSignal;
}

/** Receives a whole file. If the transfer fails, all memory that was claimed for the file is released. */
export async function receiveFile(
  chunks: AsyncIterable<Uint8Array>,
  storage: FileStorage,
  options: ReceiveOptions,
): Promise<HeldFile> {
  const receiver = new Receiver(storage, options);
  try {
    for await (const chunk of chunks) {
      options.signal.throwIfAborted();
      await receiver.append(chunk, options.signal);
    }
    return await receiver.finish();
  } catch (error) {
    receiver.release();
    throw error;
  }
}

class Receiver {
  readonly #storage: FileStorage;
  readonly #max: number;
  readonly #announcedBytes: number;
  readonly #claim: Claim;
  #claimedBytes = 0;
  #size = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #file: PrivateFile | undefined;

  constructor(storage: FileStorage, { max, announcedBytes = Number.POSITIVE_INFINITY }: ReceiveOptions) {
    this.#storage = storage;
    this.#max = max;
    this.#announcedBytes = announcedBytes;
    this.#claim = storage.capacity.claim();
  }

  async append(chunk: Uint8Array, signal: AbortSignal): Promise<void> {
    const size = this.#size + chunk.byteLength;
    if (size > this.#max) throw fileTooLargeError(this.#max);
    const missingBytes = Math.max(size, Math.min(MIN_CLAIM_BYTES, this.#max)) - this.#claimedBytes;
    if (missingBytes > 0) {
      await this.#claim.take(missingBytes, signal);
      this.#claimedBytes += missingBytes;
    }
    if (!this.#file && !this.#fitsInMemory(size)) await this.#moveToDisk();
    if (this.#file) await this.#file.write(chunk);
    else this.#bytes.set(chunk, this.#size);
    this.#size = size;
    this.#storage.reclaimer.count(chunk.byteLength);
  }

  async finish(): Promise<HeldFile> {
    this.#claim.settle(Math.max(this.#size, Math.min(this.#claimedBytes, MIN_CLAIM_BYTES)));
    if (this.#file) {
      await this.#file.close();
      return { content: { size: this.#size, path: this.#file.path }, release: this.release };
    }
    if (this.#bytes.length > this.#size) {
      const spareBytes = this.#bytes.length - this.#size;
      // A view would keep the whole buffer in memory.
      this.#bytes = Buffer.from(this.#bytes.subarray(0, this.#size));
      this.#storage.memory.freeBytes += spareBytes;
    }
    return { content: memoryContent(this.#bytes), release: this.release };
  }

  /** Gives everything back; a second call does nothing. */
  readonly release = (): void => {
    this.#releaseMemory();
    const file = this.#file;
    this.#file = undefined;
    // The space on disk is only free once the file is gone. Removing it does not fail.
    if (file) void file.remove().then(() => this.#claim.release());
    else this.#claim.release();
  };

  #fitsInMemory(size: number): boolean {
    const { maxBytesInMemory: max, memory } = this.#storage;
    if (size > max || (this.#announcedBytes > max && this.#announcedBytes < Number.POSITIVE_INFINITY)) return false;
    if (size <= this.#bytes.length) return true;
    const doubled = Math.max(size, INITIAL_BYTES, this.#bytes.length * 2);
    const length = Math.max(size, Math.min(doubled, max, this.#announcedBytes));
    const addedBytes = length - this.#bytes.length;
    if (addedBytes > memory.freeBytes) return false;
    memory.freeBytes -= addedBytes;
    const larger = Buffer.allocUnsafeSlow(length);
    this.#bytes.copy(larger);
    this.#bytes = larger;
    return true;
  }

  async #moveToDisk(): Promise<void> {
    this.#file = await this.#storage.files.create();
    await this.#file.write(this.#bytes.subarray(0, this.#size));
    this.#releaseMemory();
  }

  #releaseMemory(): void {
    this.#storage.memory.freeBytes += this.#bytes.length;
    this.#bytes = Buffer.alloc(0);
  }
}
