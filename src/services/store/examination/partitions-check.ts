import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Backend } from '../backend.ts';
import { findStrays, type Stray } from '../division/row-homes.ts';
import { hashSecretMark } from '../marks.ts';
import { Namespace, namespaceNames, openNamespaces, valueIn } from '../namespaces.ts';
import { adapterOf, writeRows } from '../raw-rows.ts';
import { Quarantine } from '../rows.ts';
import type { Check, Finding } from './checks.ts';

interface PartitionParts {
  log: Log;
  clock: Clock;
}

/** The number of the partition. */
type PlacedFinding = Finding & { partition: number };

/** A check over several partitions. */
export interface PartitionsCheck extends Check {
  findings: PlacedFinding[];
}

/** A partition that no worker has taken yet has no rows, and is not checked. */
export async function hasRows(backend: Backend): Promise<boolean> {
  for await (const _ of backend.everyRow(namespaceNames)) return true;
  return false;
}

/** Rows in a partition in which no process looks for them. A row is moved to the right partition, or set aside if that has one with the same key. */
export async function checkHomes(partitions: readonly Backend[], parts: PartitionParts): Promise<PartitionsCheck> {
  const strays = await Array.fromAsync(findStrays(partitions));
  const counts = new Map<number, number>();
  for (const { at } of strays) counts.set(at, (counts.get(at) ?? 0) + 1);
  return {
    findings: [...counts].map(([partition, count]) => ({ kind: 'wrong-partition', count, partition })),
    repair: async () => {
      for (const stray of strays) await bringHome(stray, partitions, parts);
    },
  };
}

/** Written to the right partition before it is deleted here: after a crash in between it is in both, and the next repair deletes this one. */
async function bringHome(
  { namespace, key, at, home }: Stray,
  partitions: readonly Backend[],
  parts: PartitionParts,
): Promise<void> {
  const [from, to] = [partitions[at], partitions[home]];
  if (!from || !to) throw new Error(`There is no partition ${at} or ${home}.`);
  const [source, target] = [adapterOf(from, namespace), adapterOf(to, namespace)];
  const text = await source.get<string>(key);
  const there = await target.get<string>(key);
  if (typeof text !== 'string') return;
  if (there === undefined) await writeRows(to, target, [{ key, text }]);
  else if (there !== text) {
    const quarantine = new Quarantine(openNamespaces(from).quarantine, parts);
    await quarantine.add(new Namespace(namespace, from), key, valueIn(text), `is in partition ${home} as well`);
    return;
  }
  await source.deleteMany([key]);
}

/** The namespaces whose rows contain hashes made with the key. */
const HIDING = ['budgets', 'reports', 'allowances'] as const;

export async function hidesMembers(backend: Backend): Promise<boolean> {
  for await (const _ of backend.everyRow(HIDING)) return true;
  return false;
}

/** All partitions hash members with the same key, so that their rows can be combined. A key that has not been used yet can be replaced. */
export async function checkSecrets(partitions: readonly Backend[]): Promise<PartitionsCheck> {
  const marks = partitions.map((backend) => hashSecretMark(openNamespaces(backend).meta));
  const [first, ...others] = await Promise.all(marks.map((mark) => mark.read()));
  const findings: PlacedFinding[] = [];
  for (const [at, other] of others.entries()) {
    const backend = partitions[at + 1];
    if (!first || !backend || !other || other.secret === first.secret) continue;
    const kind = (await hidesMembers(backend)) ? 'secret-in-use' : 'secret-different';
    findings.push({ kind, count: 1, partition: at + 1 });
  }
  return {
    findings,
    repair: async () => {
      for (const { kind, partition } of findings)
        if (first && kind === 'secret-different') await marks[partition]?.write(first);
    },
  };
}

/** Partitions beyond the store's number of partitions, which no worker opens. */
export const checkNumbers = (used: readonly number[], count: number): PartitionsCheck => ({
  findings: used
    .filter((partition) => partition >= count)
    .map((partition) => ({ kind: 'partition-unknown', count: 1, partition })),
  repair: async () => undefined,
});
