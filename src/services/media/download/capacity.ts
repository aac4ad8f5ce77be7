import { MediaError } from '../errors.ts';

export type Claim = ReturnType<CapacityPool['claim']>;

interface Holder {
  held: number;
  hasSettled: boolean;
}

/**
 * Limits the bytes of all files of one side, in memory and on disk together. Room is taken as bytes arrive, since announcing a
 * size costs a host nothing. Requests are served in order of arrival.
 *
 * Growing files could each hold a part and wait forever for the others'. One rule prevents that: what is given to any other file
 * leaves free what the eldest may still need for the largest possible file. So the eldest always finishes, the younger ones
 * together never hold more than the rest next to a largest file, and the next eldest finds the same.
 */
export class CapacityPool {
  readonly #total: number;
  readonly #largest: number;
  #used = 0;
  #waiting: { holder: Holder; bytes: number; go(): void }[] = [];
  /** In the order of their first bytes. */
  readonly #growing = new Set<Holder>();

  constructor(total: number, largest: number) {
    if (!(largest > 0 && largest <= total)) throw new RangeError('The largest file must fit into the room.');
    this.#total = total;
    this.#largest = largest;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  claim() {
    const holder: Holder = { held: 0, hasSettled: false };
    return {
      /** Waits for its turn, then holds this many more bytes. Rejects with the signal's reason, and then holds no more. */
      take: (bytes: number, signal: AbortSignal): Promise<void> => this.#take(holder, bytes, signal),
      /** The file is complete: keeps this many bytes, gives back the rest and takes no more. */
      settle: (bytes: number): void => this.#settle(holder, holder.held - bytes),
      /** Gives everything back; a second call does nothing. */
      release: (): void => this.#settle(holder, holder.held),
    };
  }

  async #take(holder: Holder, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const isNext = this.#waiting.length === 0 || holder === this.#eldest();
    if (isNext && this.#fits(holder, bytes)) return this.#give(holder, bytes);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { holder, bytes, go: resolve };
    const leave = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
      reject(signal.reason);
      // A small request may have waited behind a large one.
      this.#serve();
    };
    this.#waiting.push(waiter);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #eldest(): Holder | undefined {
    return this.#growing.values().next().value;
  }

  #fits(holder: Holder, bytes: number): boolean {
    const eldest = this.#eldest();
    const kept = eldest === undefined || eldest === holder ? 0 : this.#largest - eldest.held;
    return bytes <= this.#total - this.#used - kept;
  }

  #give(holder: Holder, bytes: number): void {
    holder.held += bytes;
    this.#used += bytes;
    if (!holder.hasSettled) this.#growing.add(holder);
  }

  #settle(holder: Holder, spare: number): void {
    this.#growing.delete(holder);
    holder.hasSettled = true;
    holder.held -= spare;
    this.#used -= spare;
    this.#serve();
  }

  #serve(): void {
    for (;;) {
      const eldest = this.#eldest();
      const next = this.#waiting.find(({ holder }) => holder === eldest) ?? this.#waiting[0];
      if (!next || !this.#fits(next.holder, next.bytes)) return;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#give(next.holder, next.bytes);
      next.go();
    }
  }
}

/** Limits the concurrent fetches of each member; further ones wait only for the member's own. */
export class KeyedLimiter {
  readonly #max: number;
  readonly #rooms = new Map<string, CapacityPool>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Rejects with the signal's reason if that comes first. */
  async run<T>(member: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const room = this.#rooms.get(member) ?? new CapacityPool(this.#max, 1);
    this.#rooms.set(member, room);
    const turn = room.claim();
    try {
      await turn.take(1, signal);
      return await work();
    } finally {
      turn.release();
      if (room.used === 0) this.#rooms.delete(member);
    }
  }
}

/** Memory claimed before it is used. First come, first served, so small claims do not pass a large one forever. */
export class MemoryPool {
  readonly #capacity: number;
  readonly #room: CapacityPool;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const total = Math.max(1, capacity);
    this.#room = new CapacityPool(total, total);
  }

  /** Waits for the memory; the returned function gives it back. Throws a `MediaError` for more than there ever is. */
  async claim(bytes: number, signal: AbortSignal): Promise<() => void> {
    if (bytes > this.#capacity) {
      const [wanted, max] = [bytes, this.#capacity].map((size) => Math.ceil(size / 2 ** 20));
      throw new MediaError('too-large', `Decoding the file takes about ${wanted} MiB of memory, and there are ${max}.`);
    }
    const claim = this.#room.claim();
    await claim.take(bytes, signal);
    claim.settle(bytes);
    return claim.release;
  }
}
