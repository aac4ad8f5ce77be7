import { addAbortListener } from 'node:events';
import { MediaError } from './errors.ts';

export type Claim = ReturnType<CapacityPool['claim']>;

interface Holder {
  heldBytes: number;
  hasSettled: boolean;
}

/**
 * Limits the total bytes of a group of files, in memory and on disk together. Capacity is claimed as bytes arrive and not when a
 * host announces a size, because an announcement costs the host nothing. Requests are served in order of arrival.
 *
 * Growing files could each hold a part of the capacity and wait forever for the rest. One rule prevents this deadlock: capacity is
 * only given to another file if enough remains for the oldest one to grow to the maximum size. So the oldest file can always
 * finish, and then the same holds for the next oldest.
 */
export class CapacityPool {
  readonly #total: number;
  readonly #maxFileSize: number;
  #used = 0;
  #waiting: { holder: Holder; bytes: number; admit(): void }[] = [];
  /** Growing files, in the order in which their first bytes arrived. */
  readonly #growing = new Set<Holder>();

  constructor(total: number, maxFileSize: number) {
    if (!(maxFileSize > 0 && maxFileSize <= total)) throw new RangeError('The largest file must fit into the pool.');
    this.#total = total;
    this.#maxFileSize = maxFileSize;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  claim() {
    const holder: Holder = { heldBytes: 0, hasSettled: false };
    return {
      /** Waits for its turn, then holds this many more bytes. If the signal aborts first, it rejects with the signal's reason and holds no more. */
      take: (bytes: number, signal: AbortSignal): Promise<void> => this.#take(holder, bytes, signal),
      /** Call this when the file is complete: keeps this many bytes, gives back the rest, and takes no more. */
      settle: (bytes: number): void => this.#settle(holder, holder.heldBytes - bytes),
      /** Gives everything back; a second call does nothing. */
      release: (): void => this.#settle(holder, holder.heldBytes),
    };
  }

  async #take(holder: Holder, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const isNext = this.#waiting.length === 0 || holder === this.#oldest();
    if (isNext && this.#fits(holder, bytes)) return this.#grant(holder, bytes);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { holder, bytes, admit: resolve };
    const onAbort = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
      reject(signal.reason);
      // A small claim may have been waiting behind this one.
      this.#serveWaiting();
    };
    this.#waiting.push(waiter);
    using _listener = addAbortListener(signal, onAbort);
    await promise;
  }

  #oldest(): Holder | undefined {
    return this.#growing.values().next().value;
  }

  #fits(holder: Holder, bytes: number): boolean {
    const oldest = this.#oldest();
    const reserved = oldest === undefined || oldest === holder ? 0 : this.#maxFileSize - oldest.heldBytes;
    return bytes <= this.#total - this.#used - reserved;
  }

  #grant(holder: Holder, bytes: number): void {
    holder.heldBytes += bytes;
    this.#used += bytes;
    if (!holder.hasSettled) this.#growing.add(holder);
  }

  #settle(holder: Holder, freedBytes: number): void {
    this.#growing.delete(holder);
    holder.hasSettled = true;
    holder.heldBytes -= freedBytes;
    this.#used -= freedBytes;
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    for (;;) {
      const oldest = this.#oldest();
      const next = this.#waiting.find(({ holder }) => holder === oldest) ?? this.#waiting[0];
      if (!next || !this.#fits(next.holder, next.bytes)) return;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#grant(next.holder, next.bytes);
      next.admit();
    }
  }
}

/** Limits the concurrent fetches of each member. Further fetches only wait for those of the same member. */
export class KeyedLimiter {
  readonly #max: number;
  readonly #pools = new Map<string, CapacityPool>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Rejects with the signal's reason if the signal aborts while the fetch waits. */
  async run<T>(member: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const pool = this.#pools.get(member) ?? new CapacityPool(this.#max, 1);
    this.#pools.set(member, pool);
    const slot = pool.claim();
    try {
      await slot.take(1, signal);
      return await work();
    } finally {
      slot.release();
      if (pool.used === 0) this.#pools.delete(member);
    }
  }
}

/** Memory that is claimed before it is used. First come, first served, so that small claims cannot overtake a large one forever. */
export class MemoryPool {
  readonly #capacity: number;
  readonly #pool: CapacityPool;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const total = Math.max(1, capacity);
    this.#pool = new CapacityPool(total, total);
  }

  /** Whether a claim would not have to wait. */
  hasRoomFor(bytes: number): boolean {
    return this.#pool.waiting === 0 && this.#pool.used + bytes <= this.#capacity;
  }

  /** Waits for the memory. The returned function releases it. Throws a `MediaError` if more is requested than the pool has. */
  async claim(bytes: number, signal: AbortSignal): Promise<() => void> {
    if (bytes > this.#capacity) {
      const [requested, max] = [bytes, this.#capacity].map((size) => Math.ceil(size / 2 ** 20));
      throw new MediaError(
        'too-large',
        `Decoding the file takes about ${requested} MiB of memory, and only ${max} MiB are allowed.`,
      );
    }
    const claim = this.#pool.claim();
    await claim.take(bytes, signal);
    claim.settle(bytes);
    return claim.release;
  }
}
