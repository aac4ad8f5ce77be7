import { hasCertainlyEnded } from '../../services/store/holder.ts';
import type { SharedFacts } from '../../services/store/remote/shared-facts.ts';

/** The prefix of the claim by which a shard process shows that it is alive; the holder's name follows. */
export const SHARDER = 'sharder:';
/** The prefix of the claim on a shard; the shard's id follows. */
export const SHARD = 'shard:';

/** The holders of all live shard processes. */
export async function liveSharders(facts: SharedFacts): Promise<ReadonlySet<string>> {
  const claims = await facts.claims(SHARDER);
  return new Set([...claims.values()].filter((holder) => !hasCertainlyEnded(holder)));
}

/** The holder of each shard that has one. `ended` contains the holders whose process has certainly ended; their shards are free. */
export async function shardOwners(facts: Pick<SharedFacts, 'claims'>) {
  const owners = new Map<number, string>();
  const ended = new Map<number, string>();
  for (const [name, holder] of await facts.claims(SHARD)) {
    const id = Number(name.slice(SHARD.length));
    (hasCertainlyEnded(holder) ? ended : owners).set(id, holder);
  }
  return { owners, ended };
}
