import { hasCertainlyEnded } from '../store/holder.ts';
import type { Partitions } from '../store/partitions.ts';
import type { SharedFacts } from '../store/shared-facts.ts';

export const WORKER_CLAIM = 'worker:';
/** The prefix of the claim by which a shard process shows that it is running; the name of its holder follows. */
export const SHARD_PROCESS_PREFIX = 'sharder:';

/** The live processes, and which of them owns which number: a partition, or a shard. */
export type Shares = Awaited<ReturnType<typeof readShares>>;

export async function readShares(facts: SharedFacts, partitions: Partitions) {
  const [claims, owners] = await Promise.all([facts.claims(WORKER_CLAIM), partitions.owners()]);
  // Each process is checked only once, because a few processes own many partitions and each check reads several files.
  const endedHolders = new Set([...new Set([...claims.values(), ...owners.values()])].filter(hasCertainlyEnded));
  const isAlive = (holder: string): boolean => !endedHolders.has(holder);
  return {
    count: partitions.count,
    /** The names of the processes that want a share, sorted. */
    workers: [...claims.values()].filter(isAlive).sort(),
    /** Numbers without an owner are missing. */
    owners: new Map([...owners].filter(([, holder]) => isAlive(holder))),
  };
}

/**
 * The numbers that this worker should take now. The remainder after equal shares goes to some workers, but only if no worker has less than an
 * equal share. Workers begin with different numbers, so that they do not compete for the same ones.
 */
export function findTakeable(shares: Shares, worker: string): number[] {
  const free = orderOf(shares, worker).filter((number) => !shares.owners.has(number));
  const [ownCount, { minShare, maxShare }] = [ownedBy(shares, worker), limitsOf(shares)];
  const reservedCount = shares.workers
    .filter((other) => other !== worker)
    .reduce((sum, other) => sum + Math.max(0, minShare - ownedBy(shares, other)), 0);
  const missingCount = Math.min(free.length, Math.max(0, minShare - ownCount));
  const mayTakeExtra = ownCount + missingCount < maxShare && free.length - missingCount > reservedCount;
  return free.slice(0, missingCount + (mayTakeExtra ? 1 : 0));
}

/** The numbers that this worker should release: those above its share, or one if it has the most and another worker has too few. */
export function findSurplus(shares: Shares, worker: string): number[] {
  const { workers, owners, count } = shares;
  const [ownCount, { minShare, maxShare }] = [ownedBy(shares, worker), limitsOf(shares)];
  const isOtherShort = owners.size === count && workers.some((other) => ownedBy(shares, other) < minShare);
  const hasMost = workers.every((other) => {
    const otherCount = ownedBy(shares, other);
    return otherCount < ownCount || (otherCount === ownCount && worker <= other);
  });
  const surplus = ownCount > maxShare ? ownCount - maxShare : ownCount > minShare && isOtherShort && hasMost ? 1 : 0;
  const owned = orderOf(shares, worker).filter((number) => owners.get(number) === worker);
  return owned.slice(owned.length - surplus);
}

/** Whether this process should release one of its shards: not while another one is free, because its place may be needed. */
export const hasSurplusShard = (shares: Shares, process: string): boolean =>
  shares.owners.size === shares.count && findSurplus(shares, process).length > 0;

export const isShortOfShare = (shares: Shares, worker: string): boolean =>
  ownedBy(shares, worker) < limitsOf(shares).minShare;

function limitsOf({ count, workers }: Shares): { minShare: number; maxShare: number } {
  const equalShare = count / Math.max(1, workers.length);
  return { minShare: Math.floor(equalShare), maxShare: Math.ceil(equalShare) };
}

const ownedBy = ({ owners }: Shares, worker: string): number =>
  [...owners.values()].filter((owner) => owner === worker).length;

/** All numbers, starting with a different one for each worker. */
function orderOf({ count, workers }: Shares, worker: string): number[] {
  const rank = Math.max(0, workers.indexOf(worker));
  const first = Math.floor((rank * count) / Math.max(1, workers.length));
  return Array.from({ length: count }, (_, index) => (first + index) % count);
}
