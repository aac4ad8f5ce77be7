import { type Clock, pause } from '../../lib/clock.ts';
import type { SharedFacts } from '../../services/store/remote/shared-facts.ts';
import { type ClaimParts, HeldClaim } from './held-claim.ts';
import { liveShardProcesses, SHARD_PROCESS } from './shard-claims.ts';

/** The name of a claim and of a note, with which processes agree on the number one after another. */
const COUNT = 'shard-count';
const CHECK_INTERVAL_MS = 100;

/** Thrown if the running shard processes use a different number of shards. */
export class ShardCountError extends Error {
  override readonly name = 'ShardCountError';

  constructor(wanted: number, used: number) {
    super(
      `The running shard processes use ${used} shards, but SHARD_COUNT is ${wanted}. Stop all of them, wait for the duration of a lease, and start them again.`,
    );
  }
}

interface CountParts {
  claims: ClaimParts;
  clock: Clock;
  /** The setting. */
  wanted: number | undefined;
  /** Discord's recommendation, which changes as the bot grows. */
  recommended: number;
}

/** How many shards the cluster last used; 0 before its first shard process. */
export const readShardCount = async (facts: Pick<SharedFacts, 'read'>): Promise<number> =>
  Number((await facts.read(COUNT)) ?? 0);

/** Registers this process as live. All live processes use the same number of shards: with two numbers, some servers would have no shard. */
export async function joinShardProcesses({ claims, clock, wanted, recommended }: CountParts) {
  const { facts, holder } = claims;
  for (;;) {
    const turn = await HeldClaim.take(COUNT, claims);
    if (turn) {
      try {
        const others = await liveShardProcesses(facts);
        const used = others.size > 0 ? Number(await facts.read(COUNT)) : Number.NaN;
        const count = Number.isSafeInteger(used) && used > 0 ? used : (wanted ?? recommended);
        if (wanted !== undefined && wanted !== count) throw new ShardCountError(wanted, count);
        const processClaim = await HeldClaim.take(SHARD_PROCESS + holder, claims);
        if (processClaim && (await facts.write(COUNT, String(count), turn.heldBy))) return { count, processClaim };
        await processClaim?.release();
      } finally {
        await turn.release();
      }
    }
    await pause(clock, CHECK_INTERVAL_MS);
  }
}
