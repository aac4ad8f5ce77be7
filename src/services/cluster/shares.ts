import { hasCertainlyEnded, type Partitions, type SharedFacts } from '../store/index.ts';

export const WORKER_CLAIM = 'worker:';

/** The live processes, and which of them owns which partition. */
export interface Shares {
  /** The number of partitions. */
  count: number;
  /** The names of the processes that want partitions, in order. */
  workers: readonly string[];
  /** Partitions without an owner are missing. */
  owners: ReadonlyMap<number, string>;
}

export async function readShares(
  facts: Pick<SharedFacts, 'claims'>,
  partitions: Pick<Partitions, 'owners' | 'count'>,
): Promise<Shares> {
  const [claims, owners] = await Promise.all([facts.claims(WORKER_CLAIM), partitions.owners()]);
  // Checked once per process: a few processes own many partitions, and each check reads several files.
  const ended = new Set([...new Set([...claims.values(), ...owners.values()])].filter(hasCertainlyEnded));
  const isThere = (holder: string): boolean => !ended.has(holder);
  return {
    count: partitions.count,
    workers: [...claims.values()].filter(isThere).sort(),
    owners: new Map([...owners].filter(([, holder]) => isThere(holder))),
  };
}

/**
 * The partitions that this worker should take now. The remainder after equal shares goes to some workers, but only if no worker has less than an
 * equal share. Workers begin with different partitions, so that they do not compete for the same ones.
 */
export function partitionsToTake(shares: Shares, worker: string): number[] {
  const free = inOrderOf(shares, worker).filter((partition) => !shares.owners.has(partition));
  const [own, { least, most }] = [ownedBy(shares, worker), limitsOf(shares)];
  const missing = shares.workers
    .filter((other) => other !== worker)
    .reduce((sum, other) => sum + Math.max(0, least - ownedBy(shares, other)), 0);
  const upToLeast = Math.min(free.length, Math.max(0, least - own));
  const isOneMoreLeft = own + upToLeast < most && free.length - upToLeast > missing;
  return free.slice(0, upToLeast + (isOneMoreLeft ? 1 : 0));
}

/** The partitions that this worker should release: those above its share, or one if it has the most and another worker has too few. */
export function partitionsToGiveBack(shares: Shares, worker: string): number[] {
  const { workers, owners, count } = shares;
  const [own, { least, most }] = [ownedBy(shares, worker), limitsOf(shares)];
  const isShort = owners.size === count && workers.some((other) => ownedBy(shares, other) < least);
  const isFullest = workers.every((other) => {
    const others = ownedBy(shares, other);
    return others < own || (others === own && worker <= other);
  });
  const surplus = own > most ? own - most : own > least && isShort && isFullest ? 1 : 0;
  const ours = inOrderOf(shares, worker).filter((partition) => owners.get(partition) === worker);
  return ours.slice(ours.length - surplus);
}

export const isShortOfShare = (shares: Shares, worker: string): boolean =>
  ownedBy(shares, worker) < limitsOf(shares).least;

function limitsOf({ count, workers }: Shares): { least: number; most: number } {
  const equal = count / Math.max(1, workers.length);
  return { least: Math.floor(equal), most: Math.ceil(equal) };
}

const ownedBy = ({ owners }: Shares, worker: string): number =>
  [...owners.values()].filter((owner) => owner === worker).length;

/** All partitions, starting with a different one for each worker. */
function inOrderOf({ count, workers }: Shares, worker: string): number[] {
  const rank = Math.max(0, workers.indexOf(worker));
  const first = Math.floor((rank * count) / Math.max(1, workers.length));
  return Array.from({ length: count }, (_, at) => (first + at) % count);
}
