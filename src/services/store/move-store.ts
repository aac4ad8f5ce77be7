import { createHash } from 'node:crypto';
import { type Backend, StoreError } from './backend.ts';
import { hasSchemaMark, MOVE_KEY, moveMark, refuseIncomplete } from './marks.ts';
import { namespaceNames, openNamespaces } from './namespaces.ts';
import { adapterOf, batchesOf, isEmpty, MAX_WRITE_BATCH, rowsIn, writeBatchSize, writeRows } from './raw-rows.ts';
import type { OpenedBackend } from './remote/partition.ts';

const MODULUS = 2n ** 128n;

/** A summary of a namespace's content that does not depend on the order of its rows. */
export interface Sum {
  count: number;
  checksum: string;
}

export const digestOf = (key: string, text: string): string =>
  createHash('sha256').update(`${key.length} ${key}${text}`).digest('hex').slice(0, 32);

export function sumOf(digests: Iterable<string>): Sum {
  let count = 0;
  let total = 0n;
  for (const digest of digests) {
    count += 1;
    total = (total + BigInt(`0x${digest}`)) % MODULUS;
  }
  return { count, checksum: total.toString(16).padStart(32, '0') };
}

export interface MovedNamespace {
  namespace: string;
  /** The original content or, if the number of partitions changes, the result of dividing it. */
  from: Sum;
  to: Sum;
}

export async function countRows({ backend }: OpenedBackend): Promise<MovedNamespace[]> {
  await assertComplete(backend);
  const counts: MovedNamespace[] = [];
  for (const namespace of namespaceNames)
    counts.push({ namespace, from: await sumIn(backend, namespace), to: sumOf([]) });
  return counts;
}

/** Makes TO equal to FROM by writing only the differences, so that it can be interrupted and repeated. Nothing else may use either store in the meantime. */
export async function moveStore(
  { backend: from, ownership }: OpenedBackend,
  { backend: to }: OpenedBackend,
): Promise<MovedNamespace[]> {
  await assertComplete(from);
  const { meta } = openNamespaces(to);
  const mark = moveMark(meta);
  const previousMark = await mark.read();
  if (previousMark && previousMark.from !== from.name)
    throw unsuitableTarget(to.name, `it was filled from ${previousMark.from}`);
  if (!previousMark) {
    if (!(await isEmpty(to))) throw unsuitableTarget(to.name, 'it holds the tasks of another bot');
    await mark.write({ from: from.name, isWhole: false });
  }
  if (!previousMark?.isWhole) for (const namespace of namespaceNames) await moveRows(from, to, namespace);
  const moved = await compareStores(from, to);
  // Another bot that owned FROM in the meantime may have changed it.
  ownership.assertOwned();
  if (moved.every(isSameContent)) await mark.write({ from: from.name, isWhole: true });
  return moved;
}

export const isSameContent = ({ from, to }: MovedNamespace): boolean =>
  from.count === to.count && from.checksum === to.checksum;

async function moveRows(from: Backend, to: Backend, namespace: string): Promise<void> {
  const expectedDigests = await digestsIn(from, namespace);
  const existingDigests = await digestsIn(to, namespace);
  const [source, target] = [adapterOf(from, namespace), adapterOf(to, namespace)];
  const obsoleteKeys = [...existingDigests.keys()].filter((key) => !expectedDigests.has(key));
  for (const keys of batchesOf(obsoleteKeys, MAX_WRITE_BATCH)) await target.deleteMany(keys);
  const missingKeys = [...expectedDigests]
    .filter(([key, digest]) => existingDigests.get(key) !== digest)
    .map(([key]) => key);
  for (const keys of batchesOf(missingKeys, writeBatchSize(namespace))) {
    const texts = await source.getMany<string>(keys);
    const rows = keys.flatMap((key, index) => {
      const text = texts[index];
      return typeof text === 'string' ? [{ key, text }] : [];
    });
    await writeRows(to, target, rows);
  }
}

async function compareStores(from: Backend, to: Backend): Promise<MovedNamespace[]> {
  const moved: MovedNamespace[] = [];
  for (const namespace of namespaceNames) {
    const [sourceSum, targetSum] = await Promise.all([sumIn(from, namespace), sumIn(to, namespace)]);
    moved.push({ namespace, from: sourceSum, to: targetSum });
  }
  return moved;
}

const sumIn = async (backend: Backend, namespace: string): Promise<Sum> =>
  sumOf((await digestsIn(backend, namespace)).values());

async function digestsIn(backend: Backend, namespace: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const [key, text] of rowsIn(backend, namespace)) {
    if (namespace !== 'meta' || key !== MOVE_KEY) digests.set(key, digestOf(key, text));
  }
  return digests;
}

export async function assertComplete(from: Backend): Promise<void> {
  const { meta } = openNamespaces(from);
  await refuseIncomplete(meta, from.name);
  if (await hasSchemaMark(meta)) return;
  throw new StoreError('unsupported', `There is no Atelier store in ${from.name}, so there is nothing to migrate.`);
}

export const unsuitableTarget = (name: string, reason: string): StoreError =>
  new StoreError('unsupported', `Nothing was migrated to the store ${name} because ${reason}. Choose an empty store.`);
