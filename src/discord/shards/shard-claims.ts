import { hasCertainlyEnded } from '../../services/store/holder.ts';
import type { SharedFacts } from '../../services/store/remote/shared-facts.ts';

/** The prefix of the claim by which a shard process shows that it is running; the name of its holder follows. */
export const SHARD_PROCESS_PREFIX = 'sharder:';
/** The prefix of the claim on a shard; the shard's id follows. */
export const SHARD_PREFIX = 'shard:';

/** The holders of all live shard processes. */
export async function liveShardProcesses(facts: SharedFacts): Promise<ReadonlySet<string>> {
  const claims = await facts.claims(SHARD_PROCESS_PREFIX);
  return new Set([...claims.values()].filter((holder) => !hasCertainlyEnded(holder)));
}

/** The holder of each shard that has one. `deadOwners` has the holders whose process has certainly ended: their shards are free. */
export async function shardOwners(facts: Pick<SharedFacts, 'claims'>) {
  const owners = new Map<number, string>();
  const deadOwners = new Map<number, string>();
  for (const [name, holder] of await facts.claims(SHARD_PREFIX)) {
    const id = Number(name.slice(SHARD_PREFIX.length));
    (hasCertainlyEnded(holder) ? deadOwners : owners).set(id, holder);
  }
  return { owners, deadOwners };
}
