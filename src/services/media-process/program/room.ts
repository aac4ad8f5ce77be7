import { Room } from '../../media/download/room.ts';
import { MediaError } from '../../media/errors.ts';

const mebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/** Memory claimed before it is used. First come, first served, so that small claims do not pass a large one forever. */
export class MemoryRoom {
  readonly #capacity: number;
  readonly #room: Room;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const total = Math.max(1, capacity);
    this.#room = new Room(total, total);
  }

  /** Waits for the memory; the returned function gives it back. Throws a `MediaError` for more than there ever is. */
  async claim(bytes: number, signal: AbortSignal): Promise<() => void> {
    if (bytes > this.#capacity) {
      const [wanted, most] = [bytes, this.#capacity].map(mebibytes);
      const message = `Decoding the file takes about ${wanted} MiB of memory, and there are ${most}.`;
      throw new MediaError('too-large', message);
    }
    const claim = this.#room.claim();
    await claim.take(bytes, signal);
    claim.settle(bytes);
    return claim.release;
  }
}
