import { Refusal } from '../../lib/refusal.ts';
import { bucketOf, homeOf, type Partition, partitionOf, WHOLE_STORE } from './homes.ts';
import { bucketIn } from './task-id.ts';
import type { Order } from './transitions.ts';

type OrderHome = Pick<Order, 'guildId' | 'requesterId' | 'route'>;

/** The bucket of an order's task. A follow-up stays with its parent, if that is in this partition. */
export function bucketOfOrder(order: OrderHome & Pick<Order, 'parent'>, partition = WHOLE_STORE): number {
  const bucket = assertOwnHome(order, partition);
  if (!order.parent) return bucket;
  const parentBucket = bucketIn(order.parent.id);
  return isIn(partition, parentBucket) ? parentBucket : bucket;
}

/** Throws if the budget and rules of another partition apply to the order. Otherwise returns the bucket of its home. */
export function assertOwnHome({ guildId, requesterId: memberId, route }: OrderHome, partition = WHOLE_STORE): number {
  const bucket = bucketOf(homeOf(guildId, { memberId, isDirect: route.install === 'user' }));
  if (!isIn(partition, bucket)) throw new Refusal('refusals.elsewhere');
  return bucket;
}

const isIn = ({ number, count }: Partition, bucket: number): boolean => partitionOf(bucket, count) === number;
