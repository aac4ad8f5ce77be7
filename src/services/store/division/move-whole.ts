import { type Backend, type Row, StoreError } from '../backend.ts';
import { containsHashes } from '../examination/partitions-check.ts';
import { hashSecretMark, MOVE_KEY, markedPartitions, markPartitions, moveMark } from '../marks.ts';
import {
  assertComplete,
  countRows,
  digestOf,
  isSameContent,
  type MovedNamespace,
  moveStore,
  type Sum,
  sumOf,
  unsuitableTarget,
} from '../move-store.ts';
import { namespaceNames, openNamespaces } from '../namespaces.ts';
import { adapterOf, batchesOf, isEmpty, MAX_WRITE_BATCH, rowsIn, writeBatchSize, writeRows } from '../raw-rows.ts';
import type { WholeStore } from '../whole-store.ts';
import type { DividedRow, Division } from './division.ts';
import { divide } from './divisions.ts';
import { findStrays } from './row-homes.ts';

/** For each partition, the digests of rows by their keys. */
type Digests = Map<string, string>[];

/** Counts the rows that a move into this number of partitions would write. */
export async function countDivided(from: WholeStore, count: number): Promise<MovedNamespace[]> {
  const [first] = from.partitions;
  if (first && from.partitions.length === 1 && count === 1) return countRows(first);
  const division = { sources: await backendsOf(from, count), count };
  const counts: MovedNamespace[] = [];
  for (const namespace of namespaceNames)
    counts.push({ namespace, from: sumOfAll(await digestsOf(division, namespace)), to: sumOf([]) });
  return counts;
}

/**
 * Makes TO equal to FROM divided into TO's number of partitions, by writing only the differences, so that it can be interrupted and repeated.
 * Nothing else may use either store in the meantime. Until it is done, a mark in partition 0 keeps every process from opening any partition of TO.
 */
export async function moveWhole(from: WholeStore, to: WholeStore): Promise<MovedNamespace[]> {
  const targets = to.partitions.map(({ backend }) => backend);
  const count = targets.length;
  const [source] = from.partitions;
  const [target] = to.partitions;
  if (!source || !target) throw new Error('A store has at least one partition.');
  if (from.partitions.length === 1 && count === 1) return moveStore(source, target);
  const division = { sources: await backendsOf(from, count), count };
  const { meta } = openNamespaces(target.backend);
  const mark = moveMark(meta);
  const previousMark = await mark.read();
  if (previousMark && previousMark.from !== from.name)
    throw unsuitableTarget(to.name, `it was filled from ${previousMark.from}`);
  if (!previousMark) {
    for (const backend of targets)
      if (!(await isEmpty(backend))) throw unsuitableTarget(to.name, 'it holds the tasks of another bot');
    await mark.write({ from: from.name, isWhole: false });
  }
  // The number may also be missing after an interrupted move.
  if (count > 1 && (await markedPartitions(meta, to.name)) === undefined) await markPartitions(meta, count);
  if (!previousMark?.isWhole) for (const namespace of namespaceNames) await moveRows(division, targets, namespace);
  const moved: MovedNamespace[] = [];
  for (const namespace of namespaceNames) {
    const expectedSum = sumOfAll(await digestsOf(division, namespace));
    moved.push({ namespace, from: expectedSum, to: sumOfAll(await digestsIn(targets, namespace)) });
  }
  for (const { ownership } of [...from.partitions, ...to.partitions]) ownership.assertOwned();
  if (moved.every(isSameContent)) await mark.write({ from: from.name, isWhole: true });
  return moved;
}

/** Throws if the store cannot be divided differently in its current state. */
async function backendsOf({ name, partitions }: WholeStore, count: number): Promise<Backend[]> {
  const backends = partitions.map(({ backend }) => backend);
  const [first] = backends;
  if (first) await assertComplete(first);
  if (backends.length === 1 || backends.length === count) return backends;
  for await (const _ of findStrays(backends))
    throw new StoreError(
      'unsupported',
      `The store ${name} has rows in the wrong partition. Repair it with \`npm run doctor\`, then migrate it.`,
    );
  await refuseDifferentSecrets(name, backends);
  return backends;
}

/** Throws if partitions hash members with different keys: the limits and blocks of erased members would not be found. */
async function refuseDifferentSecrets(name: string, backends: readonly Backend[]): Promise<void> {
  const secrets = new Set<string>();
  for (const [index, backend] of backends.entries()) {
    const { secret } = (await hashSecretMark(openNamespaces(backend).meta).read()) ?? {};
    if (secret !== undefined && (index === 0 || (await containsHashes(backend)))) secrets.add(secret);
  }
  if (secrets.size > 1)
    throw new StoreError(
      'unsupported',
      `The partitions of the store ${name} hide members under different keys, so their number cannot be changed. Migrate it with the same number of partitions.`,
    );
}

async function moveRows(division: Division, targets: readonly Backend[], namespace: string): Promise<void> {
  const expectedDigests = await digestsOf(division, namespace);
  const existingDigests = await digestsIn(targets, namespace);
  for (const [partition, backend] of targets.entries()) {
    const obsoleteKeys = [...(existingDigests[partition]?.keys() ?? [])].filter(
      (key) => !expectedDigests[partition]?.has(key),
    );
    for (const keys of batchesOf(obsoleteKeys, MAX_WRITE_BATCH)) await adapterOf(backend, namespace).deleteMany(keys);
  }
  const isMissing = ({ partition, key }: DividedRow): boolean =>
    existingDigests[partition]?.get(key) !== expectedDigests[partition]?.get(key);
  const batches = targets.map((backend) => ({ backend, rows: [] as Row[] }));
  let pendingCount = 0;
  const flush = async (): Promise<void> => {
    for (const batch of batches) {
      await writeRows(batch.backend, adapterOf(batch.backend, namespace), batch.rows);
      batch.rows = [];
    }
    pendingCount = 0;
  };
  for await (const row of divide(division, namespace)) {
    if (!isMissing(row)) continue;
    batches[row.partition]?.rows.push({ key: row.key, text: row.text });
    pendingCount += 1;
    if (pendingCount >= writeBatchSize(namespace)) await flush();
  }
  await flush();
}

async function digestsOf(division: Division, namespace: string): Promise<Digests> {
  const digests: Digests = Array.from({ length: division.count }, () => new Map());
  for await (const { partition, key, text } of divide(division, namespace))
    digests[partition]?.set(key, digestOf(key, text));
  return digests;
}

async function digestsIn(targets: readonly Backend[], namespace: string): Promise<Digests> {
  const digests: Digests = [];
  for (const backend of targets) {
    const rows = new Map<string, string>();
    for await (const [key, text] of rowsIn(backend, namespace))
      if (namespace !== 'meta' || key !== MOVE_KEY) rows.set(key, digestOf(key, text));
    digests.push(rows);
  }
  return digests;
}

/** The same row in another partition counts as a different row. */
const sumOfAll = (digests: Digests): Sum =>
  sumOf(
    digests.flatMap((rows, partition) => [...rows].map(([key, digest]) => digestOf(`${partition} ${key}`, digest))),
  );
