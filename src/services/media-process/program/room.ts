import { untilCalled } from '../../../lib/clock.ts';
import { MediaError } from '../../media/errors.ts';

/** Memory that is claimed before it is used. Who came first goes first, so that a large claim is not passed by small ones for ever. */
export class MemoryRoom {
  readonly #capacity: number;
  #free: number;
  readonly #waiting: { bytes: number; begin: () => void }[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** Waits until there is so much; returns what gives it back. Throws a `MediaError` for more than there ever is. */
  async claim(bytes: number, signal: AbortSignal): Promise<() => void> {
    if (bytes > this.#capacity) {
      const megabytes = (of: number): number => Math.ceil(of / 2 ** 20);
      throw new MediaError(
        'too-large',
        `Decoding the file takes about ${megabytes(bytes)} MiB of memory, and there are ${megabytes(this.#capacity)}.`,
      );
    }
    signal.throwIfAborted();
    await untilCalled(signal, (begin) => {
      const place = { bytes, begin };
      this.#waiting.push(place);
      this.#admit();
      return () => {
        const at = this.#waiting.indexOf(place);
        if (at >= 0) this.#waiting.splice(at, 1);
        this.#admit();
      };
    });
    return () => {
      this.#free += bytes;
      this.#admit();
    };
  }

  #admit(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || next.bytes > this.#free) return;
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.begin();
    }
  }
}
