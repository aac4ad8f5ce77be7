/** What one partition does within a limit. */
export interface SlotUser {
  occupiedCount(): number;
  /** Sends the next task of a queue, which occupies a slot at once; returns false if no task is to be sent now. */
  sendNext?(): boolean;
}

/** Limits how many tasks run at once. The partitions of a process share the slots, and their queues take turns when some become free. */
export class Slots {
  #limit: number;
  readonly #users: SlotUser[] = [];
  #turn = 0;
  #isAdvancing = false;
  #mustRepeat = false;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  setLimit(limit: number): void {
    this.#limit = limit;
    this.advance();
  }

  /** The returned function removes the user, whose running tasks are then no longer counted. */
  add(user: SlotUser): () => void {
    this.#users.push(user);
    return () => {
      const index = this.#users.indexOf(user);
      if (index >= 0) this.#users.splice(index, 1);
      this.advance();
    };
  }

  /** The number of slots, if no other partition uses them. */
  ownLimit(): number | undefined {
    return this.#users.length === 1 && Number.isFinite(this.#limit) ? this.#limit : undefined;
  }

  hasFreeSlot(): boolean {
    if (this.#limit === Number.POSITIVE_INFINITY) return true;
    return this.#users.reduce((sum, user) => sum + user.occupiedCount(), 0) < this.#limit;
  }

  /** Sends waiting tasks while there are free slots, from each queue in turn. */
  advance(): void {
    // Sending a task may report that another one has left its queue.
    this.#mustRepeat = this.#isAdvancing;
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      do {
        this.#mustRepeat = false;
        while (this.#sendNext());
      } while (this.#mustRepeat);
    } finally {
      this.#isAdvancing = false;
    }
  }

  #sendNext(): boolean {
    if (!this.hasFreeSlot()) return false;
    for (let step = 0; step < this.#users.length; step += 1) {
      const turn = (this.#turn + step) % this.#users.length;
      if (!this.#users[turn]?.sendNext?.()) continue;
      this.#turn = turn + 1;
      return true;
    }
    return false;
  }
}

/**
 * How long a task waits for a slot. `leftMs`: how much longer each running task takes; `aheadMs`: how long each task takes that is sent
 * before it, in their order.
 */
export function estimateWait(slots: number, leftMs: readonly number[], aheadMs: readonly number[]): number {
  const unused = Array.from({ length: Math.max(0, slots - leftMs.length) }, () => 0);
  // If more tasks run than there are slots, the first that end free none.
  const freeAt = [...unused, ...leftMs].sort(byNumber).slice(-slots);
  for (const ms of aheadMs) {
    freeAt[0] = (freeAt[0] ?? 0) + ms;
    freeAt.sort(byNumber);
  }
  return freeAt[0] ?? 0;
}

const byNumber = (a: number, b: number): number => a - b;

/** How much longer a task takes that has run for so long. Undefined if that cannot be told, as of one that takes far longer than usual. */
export const remainingMs = (typicalMs: number | undefined, ageMs: number): number | undefined =>
  typicalMs === undefined || ageMs > 2 * typicalMs ? undefined : Math.max(0, typicalMs - ageMs);
