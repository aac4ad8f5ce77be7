import type { Clock } from '../../lib/clock.ts';

/** An item stores its place in the heap, so it can be removed without a search. */
export interface AgendaItem {
  slot: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** A binary heap of times; equal times keep their order. Plain number arrays take 16 bytes per item, and comparing them touches no object. */
export class Agenda<T extends AgendaItem> {
  readonly #items: T[] = [];
  readonly #times: number[] = [];
  readonly #sequenceNumbers: number[] = [];
  #addedCount = 0;

  get next(): number {
    return this.#times[0] ?? NEVER;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T, time: number): void {
    this.#addedCount += 1;
    this.#siftUp(this.#items.length, item, time, this.#addedCount);
  }

  takeDue(now: number): T | undefined {
    const [earliest] = this.#items;
    if (!earliest || this.next > now) return undefined;
    this.remove(earliest);
    return earliest;
  }

  /** Only call this for an item that is in the heap. */
  remove(item: T): void {
    const slot = item.slot;
    const last = this.#items.pop();
    const time = this.#times.pop() ?? NEVER;
    const sequenceNumber = this.#sequenceNumbers.pop() ?? NEVER;
    if (!last || last === item) return;
    // The last item takes the free place, and moves up or down from there.
    if (this.#isBefore(slot, time, sequenceNumber)) this.#siftDown(slot, last, time, sequenceNumber);
    else this.#siftUp(slot, last, time, sequenceNumber);
  }

  #siftUp(from: number, item: T, time: number, sequenceNumber: number): void {
    let slot = from;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      if (this.#isBefore(parent, time, sequenceNumber)) break;
      this.#move(parent, slot);
      slot = parent;
    }
    this.#put(slot, item, time, sequenceNumber);
  }

  #siftDown(from: number, item: T, time: number, sequenceNumber: number): void {
    let slot = from;
    for (;;) {
      const left = 2 * slot + 1;
      const right = left + 1;
      const child = this.#isBefore(right, this.#times[left] ?? NEVER, this.#sequenceNumbers[left] ?? NEVER)
        ? right
        : left;
      if (!this.#isBefore(child, time, sequenceNumber)) break;
      this.#move(child, slot);
      slot = child;
    }
    this.#put(slot, item, time, sequenceNumber);
  }

  #isBefore(slot: number, time: number, sequenceNumber: number): boolean {
    const slotTime = this.#times[slot] ?? NEVER;
    return slotTime < time || (slotTime === time && (this.#sequenceNumbers[slot] ?? NEVER) < sequenceNumber);
  }

  #move(from: number, to: number): void {
    const item = this.#items[from];
    if (item) this.#put(to, item, this.#times[from] ?? NEVER, this.#sequenceNumbers[from] ?? NEVER);
  }

  #put(slot: number, item: T, time: number, sequenceNumber: number): void {
    this.#items[slot] = item;
    this.#times[slot] = time;
    this.#sequenceNumbers[slot] = sequenceNumber;
    item.slot = slot;
  }
}

/** `setTimeout` fires immediately if the wait is longer than this. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** One timer for everything. It may fire too early, never too late: the callback checks the clock and sets it again. */
export class Alarm {
  readonly #clock: Clock;
  readonly #onAlarm: () => void;
  #time = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onAlarm: () => void) {
    this.#clock = clock;
    this.#onAlarm = onAlarm;
  }

  set(time: number): void {
    if (time >= this.#time) return;
    this.cancel();
    this.#time = time;
    this.#cancel = this.#clock.after(Math.min(MAX_WAIT_MS, Math.max(0, time - this.#clock.now())), () => {
      this.#time = Number.POSITIVE_INFINITY;
      this.#cancel = undefined;
      this.#onAlarm();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#time = Number.POSITIVE_INFINITY;
  }
}
