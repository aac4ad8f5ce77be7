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
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = { bytes, begin: resolve };
    const leave = (): void => {
      const at = this.#waiting.indexOf(place);
      if (at >= 0) this.#waiting.splice(at, 1);
      reject(signal.reason);
      this.#admit();
    };
    this.#waiting.push(place);
    signal.addEventListener('abort', leave, { once: true });
    this.#admit();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
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
