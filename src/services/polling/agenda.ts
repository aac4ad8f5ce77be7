import type { Clock } from '../../lib/clock.ts';

/** An item stores its place in the heap, so it can be removed without a search. */
export interface AgendaItem {
  slot: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** A binary heap of times; equal times keep their order. Plain number arrays next to the items take 16 bytes each and compare without touching an object. */
export class Agenda<T extends AgendaItem> {
  readonly #items: T[] = [];
  readonly #moments: number[] = [];
  readonly #orders: number[] = [];
  #added = 0;

  get next(): number {
    return this.#moments[0] ?? NEVER;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T, moment: number): void {
    this.#added += 1;
    this.#rise(this.#items.length, item, moment, this.#added);
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
    const moment = this.#moments.pop() ?? NEVER;
    const order = this.#orders.pop() ?? NEVER;
    if (!last || last === item) return;
    // The last item takes the free place, and moves up or down from there.
    if (this.#isBefore(slot, moment, order)) this.#sink(slot, last, moment, order);
    else this.#rise(slot, last, moment, order);
  }

  #rise(from: number, item: T, moment: number, order: number): void {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      if (this.#isBefore(above, moment, order)) break;
      this.#move(above, slot);
      slot = above;
    }
    this.#put(slot, item, moment, order);
  }

  #sink(from: number, item: T, moment: number, order: number): void {
    let slot = from;
    for (;;) {
      const left = 2 * slot + 1;
      const right = left + 1;
      const below = this.#isBefore(right, this.#moments[left] ?? NEVER, this.#orders[left] ?? NEVER) ? right : left;
      if (!this.#isBefore(below, moment, order)) break;
      this.#move(below, slot);
      slot = below;
    }
    this.#put(slot, item, moment, order);
  }

  #isBefore(slot: number, moment: number, order: number): boolean {
    const there = this.#moments[slot] ?? NEVER;
    return there < moment || (there === moment && (this.#orders[slot] ?? NEVER) < order);
  }

  #move(from: number, to: number): void {
    const item = this.#items[from];
    if (item) this.#put(to, item, this.#moments[from] ?? NEVER, this.#orders[from] ?? NEVER);
  }

  #put(slot: number, item: T, moment: number, order: number): void {
    this.#items[slot] = item;
    this.#moments[slot] = moment;
    this.#orders[slot] = order;
    item.slot = slot;
  }
}

/** `setTimeout` fires a longer one immediately. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** One timer for everything. It may fire too early, never too late: the callback checks the clock and sets it again. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(at: number): void {
    if (at >= this.#at) return;
    this.cancel();
    this.#at = at;
    this.#cancel = this.#clock.after(Math.min(MAX_WAIT_MS, Math.max(0, at - this.#clock.now())), () => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#cancel = undefined;
      this.#ring();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }
}
