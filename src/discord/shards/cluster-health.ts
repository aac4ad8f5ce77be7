import { withTimeout } from '../../lib/clock.ts';
import type { Cluster } from '../../services/cluster/open-cluster.ts';
import { type PartitionHealth, readHealth } from '../../services/cluster/partition-health.ts';
import { readShares } from '../../services/cluster/shares.ts';
import { readShardCount, shardOwners } from './shard-processes.ts';

/** `/about` omits the state of the cluster if reading it takes longer than this. */
const READ_TIMEOUT_MS = 2_000;

export type ClusterHealth = Awaited<ReturnType<typeof readCluster>>;
type OwnHealth = ReadonlyMap<number, PartitionHealth>;

/** Returns undefined if the store's server does not respond in time. `ownHealth`: the health of the partitions that this worker owns. */
export async function clusterHealth(cluster: Cluster, ownHealth: OwnHealth): Promise<ClusterHealth | undefined> {
  const read = withTimeout(cluster.clock, READ_TIMEOUT_MS, readCluster(cluster, ownHealth));
  return read.catch((error: unknown) => {
    cluster.log.warn({ err: error }, 'The state of the cluster could not be read.');
    return undefined;
  });
}

async function readCluster({ facts, partitions }: Cluster, ownHealth: OwnHealth) {
  const { count } = partitions;
  const otherPartitions = Array.from({ length: count }, (_, partition) => partition).filter(
    (one) => !ownHealth.has(one),
  );
  const [{ workers, owners }, shards, shardCount, ...otherHealth] = await Promise.all([
    readShares(facts, partitions),
    shardOwners(facts),
    readShardCount(facts),
    ...otherPartitions.map((partition) => readHealth(facts, partition)),
  ]);
  const healthOf0 = ownHealth.get(0) ?? otherHealth[otherPartitions.indexOf(0)];
  const allHealth = [...ownHealth.values(), ...otherHealth.filter((one) => one !== undefined)];
  return {
    workers: workers.length,
    partitions: { count, owned: owners.size },
    // `held`: by a live process.
    shards: { count: shardCount, held: shards.owners.size },
    liveTasks: allHealth.reduce((sum, { liveTasks }) => sum + liveTasks, 0),
    notices: healthOf0?.notices,
    // Several workers may report the same lane.
    troubles: [...new Map(allHealth.flatMap(({ troubles }) => troubles).map((one) => [one.lane, one])).values()],
  };
}
