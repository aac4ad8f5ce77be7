import type { AppContext } from '../../../lib/app-context.ts';
import type { Backend } from '../backend.ts';
import { findStrays, type Stray } from '../copy/row-homes.ts';
import { Namespace, openNamespaces, valueIn } from '../namespaces.ts';
import { hashSecretMark } from '../rows/marks.ts';
import { deleteRows, hasRows, writeRows } from '../rows/raw-rows.ts';
import { Quarantine } from '../rows/rows.ts';
import type { Check, Finding } from './checks.ts';

/** Finds rows in the wrong partition, where no process looks for them. They are moved, or set aside if the right one has a row with the same key. */
export async function checkRowPartitions(partitions: readonly Backend[], parts: AppContext): Promise<Check> {
  const strays = await Array.fromAsync(findStrays(partitions));
  const counts = new Map<number, number>();
  for (const { partition } of strays) counts.set(partition, (counts.get(partition) ?? 0) + 1);
  return {
    findings: [...counts].map(([partition, count]) => ({ kind: 'wrong-partition', count, partition })),
    repair: async () => {
      for (const stray of strays) await moveToRightPartition(stray, partitions, parts);
    },
  };
}

/** Writes the row to the right partition before deleting it from the wrong one. After a crash in between, the next repair deletes the latter. */
async function moveToRightPartition(
  { namespace, key, partition, rightPartition }: Stray,
  partitions: readonly Backend[],
  parts: AppContext,
): Promise<void> {
  const [from, to] = [partitions[partition], partitions[rightPartition]];
  if (!from || !to) throw new Error(`There is no partition ${partition} or ${rightPartition}.`);
  const [source, target] = [from.adapter(namespace), to.adapter(namespace)];
  const text = await source.get<string>(key);
  const existing = await target.get<string>(key);
  if (typeof text !== 'string') return;
  if (existing === undefined) await writeRows(to, [{ namespace, key, text }]);
  else if (existing !== text) {
    const quarantine = new Quarantine(openNamespaces(from).quarantine, parts);
    await quarantine.add(
      new Namespace(namespace, from),
      key,
      valueIn(text),
      `is in partition ${rightPartition} as well`,
    );
    return;
  }
  await deleteRows(from, namespace, [key]);
}

/** The namespaces whose rows contain hashes made with the key. */
const HASHED_NAMESPACES = ['budgets', 'reports', 'allowances'] as const;

export const containsHashes = (backend: Backend): Promise<boolean> => hasRows(backend, HASHED_NAMESPACES);

/** Finds partitions that hash members with a different key than the first. All need the same key; one that is unused can be replaced. */
export async function checkSecrets(partitions: readonly Backend[]): Promise<Check> {
  const marks = partitions.map((backend) => hashSecretMark(openNamespaces(backend).meta));
  const [first, ...others] = await Promise.all(marks.map((mark) => mark.read()));
  const findings: Finding[] = [];
  for (const [index, other] of others.entries()) {
    const backend = partitions[index + 1];
    if (!first || !backend || !other || other.secret === first.secret) continue;
    const kind = (await containsHashes(backend)) ? 'secret-in-use' : 'secret-different';
    findings.push({ kind, count: 1, partition: index + 1 });
  }
  return {
    findings,
    repair: async () => {
      for (const { kind, partition = 0 } of findings)
        if (first && kind === 'secret-different') await marks[partition]?.write(first);
    },
  };
}

/** Finds partitions beyond the store's number of partitions, which no worker opens. */
export const checkPartitionNumbers = (usedPartitions: readonly number[], count: number): Check => ({
  findings: usedPartitions
    .filter((partition) => partition >= count)
    .map((partition) => ({ kind: 'partition-unknown', count: 1, partition })),
  repair: async () => undefined,
});
