import type { StoreError } from '../../tasks/store-error.ts';
import { type Backend, unsupportedError } from '../backend.ts';
import { containsHashes } from '../examination/partitions-check.ts';
import { namespaceNames, openNamespaces } from '../namespaces.ts';
import { hashSecretMark, hasSchemaMark, moveMark, refuseIncomplete } from '../rows/marks.ts';
import type { WholeStore } from '../rows/whole-store.ts';
import { fillStore, isUnused, type PartitionRow, RowSums, rowsOf, type Sum, sumsOf } from './copier.ts';
import { divide } from './divide.ts';
import { findStrays } from './row-homes.ts';

export interface MigratedNamespace {
  namespace: string;
  /** The original content or, if the number of partitions changes, the result of dividing it. */
  from: Sum;
  to: Sum;
}

export const isSameContent = ({ from, to }: MigratedNamespace): boolean =>
  from.count === to.count && from.checksum === to.checksum;

/** The sums of what a migration into this number of partitions would write. */
export async function countRows(from: WholeStore, count: number): Promise<MigratedNamespace[]> {
  await refuseUnsuitableSource(from, count);
  return compare(await sumsOf(rowsToMigrate(from, count)), new RowSums());
}

/**
 * Copies a store, divided into the other one's number of partitions, and compares both. Nothing else may use either store in the meantime. A migration that was
 * interrupted starts over; after a complete one, the stores are only compared.
 */
export async function migrateStore(from: WholeStore, to: WholeStore): Promise<MigratedNamespace[]> {
  const count = to.partitions.length;
  await refuseUnsuitableSource(from, count);
  const mark = moveMark(openNamespaces(to.partitions[0].backend).meta);
  const previous = await mark.read();
  if (previous && previous.from !== from.name) throw unsuitableTarget(to.name, `it was filled from ${previous.from}`);
  if (!previous && !(await isUnused(to))) throw unsuitableTarget(to.name, 'it is not empty');
  if (!previous?.isWhole) await fillStore(to, { from: from.name }, rowsToMigrate(from, count));
  const [expected, actual] = await Promise.all([sumsOf(rowsToMigrate(from, count)), sumsOf(rowsToMigrate(to, count))]);
  // Another bot that owned one of the stores in the meantime may have changed it.
  for (const { ownership } of [...from.partitions, ...to.partitions]) ownership.assertOwned();
  const migrated = compare(expected, actual);
  if (migrated.every(isSameContent)) await mark.write({ from: from.name, isWhole: true });
  return migrated;
}

const compare = (from: RowSums, to: RowSums): MigratedNamespace[] =>
  namespaceNames.map((namespace) => ({ namespace, from: from.get(namespace), to: to.get(namespace) }));

const backendsOf = ({ partitions }: WholeStore): Backend[] => partitions.map(({ backend }) => backend);

async function* rowsToMigrate(from: WholeStore, count: number): AsyncGenerator<PartitionRow> {
  const sources = backendsOf(from);
  for (const namespace of namespaceNames)
    if (sources.length === count) yield* rowsOf(sources, namespace);
    else for await (const row of divide({ sources, count }, namespace)) yield { namespace, ...row };
}

async function refuseUnsuitableSource(from: WholeStore, count: number): Promise<void> {
  const { meta } = openNamespaces(from.partitions[0].backend);
  await refuseIncomplete(meta, from.name);
  if (!(await hasSchemaMark(meta)))
    throw unsupportedError(`There is no Atelier store in ${from.name}, so there is nothing to migrate.`);
  const backends = backendsOf(from);
  if (backends.length === 1 || backends.length === count) return;
  for await (const _ of findStrays(backends))
    throw unsupportedError(
      `The store ${from.name} has rows in the wrong partition. Repair it with \`npm run doctor\`, then migrate it.`,
    );
  await refuseDifferentSecrets(from.name, backends);
}

/** Throws if partitions hash members with different keys: the limits and blocks of erased members would not be found. */
async function refuseDifferentSecrets(name: string, backends: readonly Backend[]): Promise<void> {
  const secrets = new Set<string>();
  for (const [index, backend] of backends.entries()) {
    const { secret } = (await hashSecretMark(openNamespaces(backend).meta).read()) ?? {};
    if (secret !== undefined && (index === 0 || (await containsHashes(backend)))) secrets.add(secret);
  }
  if (secrets.size > 1)
    throw unsupportedError(
      `The partitions of the store ${name} hide members under different keys, so their number cannot be changed. Migrate it with the same number of partitions.`,
    );
}

const unsuitableTarget = (name: string, reason: string): StoreError =>
  unsupportedError(`Nothing was migrated to the store ${name} because ${reason}. Choose an empty store.`);
