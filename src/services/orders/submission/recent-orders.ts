import { SteadyClock } from '../../../lib/clock.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { GatewayError } from '../../gateway/errors.ts';
import type { Task } from '../../tasks/task.ts';
import type { OrdersContext } from '../orders-context.ts';

/** Within this time, no member intentionally requests the same thing twice. */
const SAME_ORDER_MS = 3_000;

/** The properties by which two requests count as the same. */
type OrderFacts = Pick<Task, 'requesterId' | 'channelId' | 'kind' | 'parentId' | 'request'>;

/**
 * Refuses a request that is the same as one of the last seconds, so that pressing twice submits only once. One that is still being sent is remembered
 * for as long as that takes.
 */
export function createRecentOrders({ book, clock: machineClock }: OrdersContext) {
  const clock = new SteadyClock(machineClock);
  const recentOrders = new Map<string, { id: string; until: number }>();
  // A request that has ended may be repeated immediately, because the member has seen its outcome.
  book.onChange((task) => {
    const hasSeenEnd = task.state === 'failed' || task.state === 'cancelled' || task.state === 'delivered';
    if (hasSeenEnd && recentOrders.get(keyOf(task))?.id === task.id) recentOrders.delete(keyOf(task));
  });
  return {
    async run(order: OrderFacts, id: string, submit: () => Promise<Task>): Promise<Task> {
      const now = clock.now();
      for (const [known, { until }] of recentOrders) if (until <= now) recentOrders.delete(known);
      const key = keyOf(order);
      if (recentOrders.has(key)) throw new Refusal('refusals.duplicateRequest');
      recentOrders.set(key, { id, until: Number.POSITIVE_INFINITY });
      let isRefused = false;
      try {
        return await submit();
      } catch (error) {
        isRefused = error instanceof Refusal || error instanceof GatewayError;
        throw error;
      } finally {
        // What was refused can be repeated immediately, too.
        if (isRefused) recentOrders.delete(key);
        else recentOrders.set(key, { id, until: clock.now() + SAME_ORDER_MS });
      }
    },
  };
}

const keyOf = ({ requesterId, channelId, kind, parentId, request }: OrderFacts): string =>
  JSON.stringify([requesterId, channelId, kind, parentId, request]);
