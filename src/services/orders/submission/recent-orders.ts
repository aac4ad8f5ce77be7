import { SteadyClock } from '../../../lib/clock.ts';
import { Refusal } from '../../../lib/refusal.ts';
import type { Task } from '../../tasks/task.ts';
import type { OrdersContext } from '../orders-context.ts';

/** Within this time, no member intentionally requests the same thing twice. */
const SAME_ORDER_MS = 3_000;

/** The properties by which two requests count as the same. */
type OrderFacts = Pick<Task, 'requesterId' | 'channelId' | 'kind' | 'parentId' | 'request'>;

/**
 * Remembers the requests of the last seconds, so that pressing twice submits only once. A request that is still being sent is remembered
 * for as long as that takes.
 */
export function createRecentOrders({ book, clock: machineClock }: OrdersContext) {
  const clock = new SteadyClock(machineClock);
  const recentOrders = new Map<string, { id: string; until: number }>();

  /** Forgets a request, so that the member can repeat it immediately. */
  function drop(order: OrderFacts): void {
    recentOrders.delete(keyOf(order));
  }

  // A request that has ended may be repeated immediately, because the member has seen its outcome.
  book.onChange((task) => {
    const hasSeenEnd = task.state === 'failed' || task.state === 'cancelled' || task.state === 'delivered';
    if (hasSeenEnd && recentOrders.get(keyOf(task))?.id === task.id) drop(task);
  });
  return {
    drop,

    /** Throws for a request that is the same as a recent one. */
    begin(order: OrderFacts, id: string): void {
      const now = clock.now();
      for (const [key, { until }] of recentOrders) if (until <= now) recentOrders.delete(key);
      if (recentOrders.has(keyOf(order))) throw new Refusal('refusals.duplicateRequest');
      recentOrders.set(keyOf(order), { id, until: Number.POSITIVE_INFINITY });
    },

    /** Call this when a request is no longer being sent. */
    end(order: OrderFacts, id: string): void {
      recentOrders.set(keyOf(order), { id, until: clock.now() + SAME_ORDER_MS });
    },
  };
}

const keyOf = ({ requesterId, channelId, kind, parentId, request }: OrderFacts): string =>
  JSON.stringify([requesterId, channelId, kind, parentId, request]);
