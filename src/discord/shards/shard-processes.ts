import { pause } from '../../lib/clock.ts';
import { acquireClaim, type ClusterContext } from '../../services/cluster/claim.ts';
import { SHARD_PROCESS_PREFIX } from '../../services/cluster/shares.ts';
import { hasCertainlyEnded } from '../../services/store/holder.ts';
import type { SharedFacts } from '../../services/store/shared-facts.ts';

/** The prefix of the claim on a shard; the shard's id follows. */
export const SHARD_PREFIX = 'shard:';

export async function liveShardProcesses(facts: SharedFacts): Promise<ReadonlySet<string>> {
  const claims = await facts.claims(SHARD_PROCESS_PREFIX);
  return new Set([...claims.values()].filter((holder) => !hasCertainlyEnded(holder)));
}

/** The holder of each shard that has one. `deadOwners` has the holders whose process has certainly ended: their shards are free. */
export async function shardOwners(facts: SharedFacts) {
  const owners = new Map<number, string>();
  const deadOwners = new Map<number, string>();
  for (const [name, holder] of await facts.claims(SHARD_PREFIX)) {
    const id = Number(name.slice(SHARD_PREFIX.length));
    (hasCertainlyEnded(holder) ? deadOwners : owners).set(id, holder);
  }
  return { owners, deadOwners };
}

/** The name of the claim and of the stored value by which processes agree on the number of shards, one process at a time. */
const SHARD_COUNT_KEY = 'shard-count';
const CHECK_INTERVAL_MS = 100;

/** Thrown if the running shard processes use a different number of shards. */
export class ShardCountError extends Error {
  override readonly name = 'ShardCountError';

  constructor(configuredCount: number, currentCount: number) {
    super(
      `The running shard processes use ${currentCount} shards, but SHARD_COUNT is ${configuredCount}. Stop all of them, wait for the duration of a lease, and start them again.`,
    );
  }
}

/** How many shards the cluster last used; 0 before its first shard process. */
export const readShardCount = async (facts: SharedFacts): Promise<number> =>
  Number((await facts.read(SHARD_COUNT_KEY)) ?? 0);

/**
 * Registers this process as live. All live processes use the same number of shards: with two numbers, some servers would have no shard. `configuredCount` is the
 * setting `SHARD_COUNT`, if it is set; Discord's recommendation changes as the bot grows.
 */
export async function joinShardProcesses(
  cluster: ClusterContext,
  recommendedCount: number,
  configuredCount: number | undefined,
) {
  const { facts, holder, clock } = cluster;
  for (;;) {
    const turn = await acquireClaim(SHARD_COUNT_KEY, cluster);
    if (turn) {
      try {
        const otherProcesses = await liveShardProcesses(facts);
        const currentCount = otherProcesses.size > 0 ? Number(await facts.read(SHARD_COUNT_KEY)) : Number.NaN;
        const count =
          Number.isSafeInteger(currentCount) && currentCount > 0 ? currentCount : (configuredCount ?? recommendedCount);
        if (configuredCount !== undefined && configuredCount !== count)
          throw new ShardCountError(configuredCount, count);
        const processClaim = await acquireClaim(SHARD_PROCESS_PREFIX + holder, cluster);
        if (processClaim && (await facts.write(SHARD_COUNT_KEY, String(count), { claim: SHARD_COUNT_KEY, holder })))
          return { count, processClaim };
        await processClaim?.release();
      } finally {
        await turn.release();
      }
    }
    await pause(clock, CHECK_INTERVAL_MS);
  }
}
