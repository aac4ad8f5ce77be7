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
  free: readonly number[];
  limit: number;
  /** Whether another process should have one of this process's shards. */
  hasSurplus: boolean;
}

/**
 * The fair share of a process is the quotient, rounded down or up. A process that has less than its share comes first. Surplus shards are released
 * one at a time, because none is released while another one is free.
 */
export function shareOf(self: string, { count, processes, owners }: Cluster): Share {
  const held = new Map(processes.map((name) => [name, 0]));
  for (const owner of owners.values()) held.set(owner, (held.get(owner) ?? 0) + 1);
  const mine = held.get(self) ?? 0;
  const least = Math.floor(count / processes.length);
  const most = Math.ceil(count / processes.length);
  const isAnotherShort = processes.some((name) => name !== self && (held.get(name) ?? 0) < least);
  const free = Array.from({ length: count }, (_, id) => id).filter((id) => !owners.has(id));
  return {
    free: startingAt(free, Math.floor((free.length * processes.toSorted().indexOf(self)) / processes.length)),
    limit: mine < least ? least : isAnotherShort ? mine : most,
    hasSurplus: free.length === 0 && (mine > most || (mine > least && isAnotherShort)),
  };
}

/** Processes that start at the same time begin with different shards. */
const startingAt = (ids: readonly number[], start: number): number[] => [...ids.slice(start), ...ids.slice(0, start)];
