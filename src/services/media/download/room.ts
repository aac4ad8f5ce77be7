/** Some of the room, held by one download and then by whoever uses its file. */
export interface Claim {
  /** Waits for its turn and then holds so many bytes more. Rejects with the signal's reason, and then holds no more than before. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
  /** The file is complete: keeps so many bytes, gives back the rest and takes no more. */
  settle(bytes: number): void;
  /** Gives everything back; a second time it gives nothing. */
  release(): void;
}

interface Holder {
  held: number;
  /** Its file's size is not known: it takes again and again, until it has settled. */
  grows: boolean;
}

interface Waiter {
  holder: Holder;
  bytes: number;
  go(): void;
}

/**
 * The bound on what all files together take of the memory. Turns are given in the order of asking.
 *
 * Downloads that grow could each hold a part and wait for ever for another's. They cannot, by one rule: whatever is given to
 * anybody but the eldest of them leaves free what the eldest may still need for the largest possible file. So the eldest always
 * comes to its end, the younger ones together never hold more than what is left beside a largest file, and the next eldest finds
 * the same. Whoever does not grow holds all it needs and gives it back in its own time.
 */
export class Room {
  readonly #total: number;
  readonly #largest: number;
  #used = 0;
  #waiting: Waiter[] = [];
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

  claim({ grows }: { grows: boolean }): Claim {
    const holder: Holder = { held: 0, grows };
    return {
      take: (bytes, signal) => this.#take(holder, bytes, signal),
      settle: (bytes) => {
        this.#growing.delete(holder);
        holder.grows = false;
        this.#giveBack(holder, holder.held - bytes);
      },
      release: () => {
        this.#growing.delete(holder);
        this.#giveBack(holder, holder.held);
      },
    };
  }

  async #take(holder: Holder, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const isNext = this.#waiting.length === 0 || holder === this.#eldest();
    if (isNext && this.#fits(holder, bytes)) return this.#give(holder, bytes);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { holder, bytes, go: resolve };
    const leave = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
      reject(signal.reason);
      // Somebody small may have stood behind somebody large.
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
    if (holder.grows) this.#growing.add(holder);
  }

  #giveBack(holder: Holder, bytes: number): void {
    holder.held -= bytes;
    this.#used -= bytes;
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
