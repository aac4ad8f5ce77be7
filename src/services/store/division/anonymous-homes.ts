import { isRecord } from '../../../lib/exact-json.ts';
import { hashedName } from '../../hashed-names.ts';
import { bucketOf } from '../../tasks/homes.ts';
import type { Backend } from '../backend.ts';
import { hashSecretMark } from '../marks.ts';
import { namespaceNameOf, openNamespaces, valueIn } from '../namespaces.ts';
import { rowsIn } from '../raw-rows.ts';

/**
 * Ledger entries without a member contain neither a server nor a task, but the sums that they still count in may be stored, under hashes. They go
 * to the partition that counts these sums, if a server or member with that hash is known; all others can go anywhere.
 */
export async function anonymousBuckets(backends: readonly Backend[]): Promise<(entryKey: string) => number> {
  const scopes = new Map<string, readonly unknown[]>();
  for (const backend of backends)
    for await (const [, text] of rowsIn(backend, namespaceNameOf('allowances'))) {
      const kept = valueIn(text);
      if (isRecord(kept) && typeof kept.entry === 'string' && Array.isArray(kept.scopes))
        scopes.set(kept.entry, kept.scopes);
    }
  const buckets = scopes.size > 0 ? await scopeBuckets(backends) : new Map<unknown, number>();
  return (entryKey) => {
    const known = scopes.get(entryKey)?.find((scope) => buckets.has(scope));
    return buckets.get(known) ?? bucketOf(entryKey);
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
