/** Who has what at one moment. */
export interface Cluster {
  /** The number of shards. */
  count: number;
  /** The live shard processes, with this one. */
  processes: readonly string[];
  /** The holder of each shard that has one. */
  owners: ReadonlyMap<number, string>;
}

export interface Share {
  /** The shards to try to take, in this order, up to `limit` shards in all. */
  free: readonly number[];
  limit: number;
  /** Another process should have one of ours. */
  hasSurplus: boolean;
}

/**
 * The fair share of a process: between the rounded down and the rounded up quotient. A process that is short comes first. One surplus shard is given back at
 * a time, since none is given back while another is free.
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

/** Processes that start at the same time begin at different shards. */
const startingAt = (ids: readonly number[], start: number): number[] => [...ids.slice(start), ...ids.slice(0, start)];
