import { type Clock, pause } from '../../lib/clock.ts';
import type { SharedFacts } from '../../services/store/remote/shared-facts.ts';
import { type ClaimParts, HeldClaim } from './held-claim.ts';
import { liveShardProcesses, SHARD_PROCESS_PREFIX } from './shard-claims.ts';

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

interface JoinParts {
  claims: ClaimParts;
  clock: Clock;
  /** The setting `SHARD_COUNT`, if it is set. */
  configuredCount: number | undefined;
  /** Discord's recommendation, which changes as the bot grows. */
  recommendedCount: number;
}

/** How many shards the cluster last used; 0 before its first shard process. */
export const readShardCount = async (facts: Pick<SharedFacts, 'read'>): Promise<number> =>
  Number((await facts.read(SHARD_COUNT_KEY)) ?? 0);

/** Registers this process as live. All live processes use the same number of shards: with two numbers, some servers would have no shard. */
export async function joinShardProcesses({ claims, clock, configuredCount, recommendedCount }: JoinParts) {
  const { facts, holder } = claims;
  for (;;) {
    const turn = await HeldClaim.acquire(SHARD_COUNT_KEY, claims);
    if (turn) {
      try {
        const otherProcesses = await liveShardProcesses(facts);
        const currentCount = otherProcesses.size > 0 ? Number(await facts.read(SHARD_COUNT_KEY)) : Number.NaN;
        const count =
          Number.isSafeInteger(currentCount) && currentCount > 0 ? currentCount : (configuredCount ?? recommendedCount);
        if (configuredCount !== undefined && configuredCount !== count)
          throw new ShardCountError(configuredCount, count);
        const processClaim = await HeldClaim.acquire(SHARD_PROCESS_PREFIX + holder, claims);
        if (processClaim && (await facts.write(SHARD_COUNT_KEY, String(count), turn.heldBy)))
          return { count, processClaim };
        await processClaim?.release();
      } finally {
        await turn.release();
      }
    }
    await pause(clock, CHECK_INTERVAL_MS);
  }
}
