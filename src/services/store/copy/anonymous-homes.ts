import { isRecord } from '../../../lib/exact-json.ts';
import { hashedName } from '../../hashed-names.ts';
import { bucketOf } from '../../tasks/homes.ts';
import type { Backend } from '../backend.ts';
import { hashSecretMark } from '../marks.ts';
import { namespaceNameOf, openNamespaces, valueIn } from '../namespaces.ts';
import { rowsIn } from '../raw-rows.ts';

/**
 * Finds a bucket for each ledger entry without a member. Such entries contain neither a server nor a task, but the hashed scopes that they
 * still count in may be stored. They go to the partition of that scope's server or member, if it is known; all others can go anywhere.
 */
export async function anonymousBuckets(backends: readonly Backend[]): Promise<(entryKey: string) => number> {
  const scopes = new Map<string, readonly unknown[]>();
  for (const backend of backends)
    for await (const [, text] of rowsIn(backend, namespaceNameOf('allowances'))) {
      const keptRow = valueIn(text);
      if (isRecord(keptRow) && typeof keptRow.entry === 'string' && Array.isArray(keptRow.scopes))
        scopes.set(keptRow.entry, keptRow.scopes);
    }
  const buckets = scopes.size > 0 ? await scopeBuckets(backends) : new Map<unknown, number>();
  return (entryKey) => {
    const knownScope = scopes.get(entryKey)?.find((scope) => buckets.has(scope));
    return buckets.get(knownScope) ?? bucketOf(entryKey);
  };
}

/** The hashes that spending uses for the sums of servers, and of members without a server. */
async function scopeBuckets(backends: readonly Backend[]): Promise<Map<unknown, number>> {
  const names = new Map<string, string>();
  for (const backend of backends)
    for (const name of ['ledger', 'budgets'] as const)
      for await (const [, text] of rowsIn(backend, namespaceNameOf(name))) {
        const row = valueIn(text);
        if (!isRecord(row)) continue;
        if (typeof row.guildId === 'string') names.set(`server ${row.guildId}`, row.guildId);
        if (typeof row.memberId === 'string') names.set(`direct ${row.memberId}`, row.memberId);
      }
  const [first] = backends;
  const { secret = '' } = (first && (await hashSecretMark(openNamespaces(first).meta).read())) ?? {};
  return new Map([...names].map(([name, home]) => [hashedName(name, secret), bucketOf(home)]));
}
