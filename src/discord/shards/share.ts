/** Which process has which shards at one moment. */
export interface Cluster {
  /** The number of shards. */
  count: number;
  /** The live shard processes, including this one. */
  processes: readonly string[];
  /** The holder of each shard that has one. */
  owners: ReadonlyMap<number, string>;
}

export interface Share {
  /** The shards to try to take, in this order, up to `limit` shards in all. */
  freeIds: readonly number[];
  limit: number;
  /** Whether another process should have one of this process's shards. */
  hasSurplus: boolean;
}

/**
 * The fair share of a process is the number of shards per process, rounded down or up. A process that has less than its share comes first. Surplus shards are released
 * one at a time, because none is released while another one is free.
 */
export function shareOf(self: string, { count, processes, owners }: Cluster): Share {
  const shardCounts = new Map(processes.map((name) => [name, 0]));
  for (const owner of owners.values()) shardCounts.set(owner, (shardCounts.get(owner) ?? 0) + 1);
  const ownCount = shardCounts.get(self) ?? 0;
  const minShare = Math.floor(count / processes.length);
  const maxShare = Math.ceil(count / processes.length);
  const isAnotherBelowShare = processes.some((name) => name !== self && (shardCounts.get(name) ?? 0) < minShare);
  const freeIds = Array.from({ length: count }, (_, id) => id).filter((id) => !owners.has(id));
  return {
    freeIds: rotate(freeIds, Math.floor((freeIds.length * processes.toSorted().indexOf(self)) / processes.length)),
    limit: ownCount < minShare ? minShare : isAnotherBelowShare ? ownCount : maxShare,
    hasSurplus: freeIds.length === 0 && (ownCount > maxShare || (ownCount > minShare && isAnotherBelowShare)),
  };
}

/** Processes that start at the same time begin with different shards. */
const rotate = (ids: readonly number[], start: number): number[] => [...ids.slice(start), ...ids.slice(0, start)];
