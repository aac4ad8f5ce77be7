import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { OrdersParts } from './orders-parts.ts';
import type { Task } from './task.ts';

/** Within this time, no member intentionally requests the same thing twice. */
const SAME_ORDER_MS = 3_000;

/** The properties by which two requests count as the same. */
type OrderFacts = Pick<Task, 'requesterId' | 'channelId' | 'kind' | 'parentId' | 'request'>;

/**
 * Remembers the requests of the last seconds, so that pressing twice submits only once. A request that is still being sent is remembered
 * for as long as that takes.
 */
export class RecentOrders {
  readonly #clock: Clock;
  /** The recent requests. `cancel` cancels the removal of an entry; it is missing while the request is being sent. */
  readonly #recentOrders = new Map<string, { id: string; cancel?: () => void }>();

  constructor({ book, clock }: OrdersParts) {
    this.#clock = clock;
    // A request that has ended may be repeated immediately, because the member has seen its outcome.
    book.onChange((task) => {
      if (task.state === 'failed' || task.state === 'cancelled' || task.state === 'delivered') this.#forget(task);
    });
  }

  /** Throws for a request that is the same as a recent one. */
  begin(order: OrderFacts, id: string): void {
    const key = keyOf(order);
    if (this.#recentOrders.has(key)) throw new Refusal('refusals.duplicateRequest');
    this.#recentOrders.set(key, { id });
  }

  /** Forgets a request that was refused, so that the member can repeat it immediately. */
  drop(order: OrderFacts): void {
    this.#recentOrders.delete(keyOf(order));
  }

  /** Call this when a request is no longer being sent. A timer is used because the machine's clock may be set back. */
  end(order: OrderFacts, id: string): void {
    const key = keyOf(order);
    const cancel = this.#clock.after(SAME_ORDER_MS, () => this.#recentOrders.delete(key));
    this.#recentOrders.set(key, { id, cancel });
  }

  clear(): void {
    for (const { cancel } of this.#recentOrders.values()) cancel?.();
    this.#recentOrders.clear();
  }

  #forget(task: Task): void {
    const key = keyOf(task);
    const entry = this.#recentOrders.get(key);
    if (entry?.id !== task.id) return;
    entry.cancel?.();
    this.#recentOrders.delete(key);
  }
}

const keyOf = ({ requesterId, channelId, kind, parentId, request }: OrderFacts): string =>
  JSON.stringify([requesterId, channelId, kind, parentId, request]);
