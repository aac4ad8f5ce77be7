import { Refusal } from '../../lib/refusal.ts';
import { BUCKETS, bucketIn } from './task-id.ts';
import type { OrderFacts } from './transitions.ts';

/** One of the partitions of a store, each of which is owned by one process. */
export interface Partition {
  readonly number: number;
  readonly count: number;
}

export const WHOLE_STORE: Partition = { number: 0, count: 1 };

/**
 * Servers and members are spread over buckets, and buckets over the partitions of a store. An id ends with its bucket, so an id alone shows which partition has
 * its task.
 * Uses FNV-1a with 32 bits. It must never change, since stored ids depend on it.
 */
export function bucketOf(home: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(home)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return ((hash ^ (hash >>> 16)) >>> 0) % BUCKETS;
}

/**
 * The server or member whose budget and rules apply to an order, and whose task it becomes. All of these are in one partition, so that limits are checked in
 * one place. With a user
 * install, the home is the member on every server.
 */
export const homeOf = (
  guildId: string | undefined,
  { memberId, isDirect }: { memberId: string; isDirect: boolean },
): string => (guildId === undefined || isDirect ? memberId : guildId);

/** Returns a bucket of this partition for a task of this home, even if the home itself belongs to another partition. */
export function bucketWithin(home: string, { number, count }: Partition): number {
  const bucket = bucketOf(home);
  const candidate = bucket - (bucket % count) + number;
  return candidate < BUCKETS ? candidate : candidate - count;
}

export const partitionOf = (bucket: number, count: number): number => bucket % count;

/** The bucket of an order's task. A follow-up stays with its parent, if that is in this partition. */
export function bucketOfOrder(order: OrderFacts, partition: Partition): number {
  const bucket = assertOwnHome(order, partition);
  if (!order.parent) return bucket;
  const parentBucket = bucketIn(order.parent.id);
  return isIn(partition, parentBucket) ? parentBucket : bucket;
}

/** Throws if the budget and rules of another partition apply to the order. Otherwise returns the bucket of its home. */
export function assertOwnHome({ guildId, requesterId: memberId, route }: OrderFacts, partition: Partition): number {
  const bucket = bucketOf(homeOf(guildId, { memberId, isDirect: route.install === 'user' }));
  if (!isIn(partition, bucket)) throw new Refusal('refusals.elsewhere');
  return bucket;
}

export const isAtHome = (home: string, partition: Partition): boolean => isIn(partition, bucketOf(home));

const isIn = ({ number, count }: Partition, bucket: number): boolean => partitionOf(bucket, count) === number;
