import type { Backend } from '../backend.ts';
import { MOVE_KEY, type MoveMark, markPartitions, moveMark, PARTITIONS_KEY } from '../marks.ts';
import { namespaceNames, openNamespaces } from '../namespaces.ts';
import { adapterOf, batchesOf, isEmpty, MAX_WRITE_BATCH, rowsIn, writeBatchSize, writeRows } from '../raw-rows.ts';
import type { WholeStore } from '../whole-store.ts';
import { copyRows, type OnProgress, type PartitionRow, type RowStream } from './copier.ts';

/**
 * Fills a store, and deletes first what an interrupted attempt left in it. The mark is written first: until it says that the store is complete, or is gone, no process opens any
 * partition, and an attempt that fails can be repeated. Returns the number of rows.
 */
export async function fillStore(
  { partitions }: WholeStore,
  mark: Omit<MoveMark, 'isWhole'>,
  rows: RowStream,
  onProgress?: OnProgress,
): Promise<number> {
  const backends = partitions.map(({ backend }) => backend);
  const { meta } = openNamespaces(partitions[0].backend);
  await moveMark(meta).write({ ...mark, isWhole: false });
  // A store with rows and no number would be taken for one without partitions.
  if (backends.length > 1) await markPartitions(meta, backends.length);
  for (const backend of backends) await clear(backend);
  return copyRows(rows, (batch) => writeToStore(backends, batch), onProgress);
}

async function writeToStore(backends: readonly Backend[], rows: readonly PartitionRow[]): Promise<void> {
  for (const group of Map.groupBy(rows, ({ partition, namespace }) => `${partition} ${namespace}`).values())
    for (const batch of batchesOf(group, writeBatchSize(group[0]?.namespace ?? ''))) {
      const [{ partition = 0, namespace = '' } = {}] = batch;
      const backend = backends[partition];
      if (!backend) throw new Error(`There is no partition ${partition}.`);
      await writeRows(backend, adapterOf(backend, namespace), batch);
    }
}

/** These marks say that the store is being filled, and into how many partitions. */
const KEPT_MARKS: ReadonlySet<string> = new Set([MOVE_KEY, PARTITIONS_KEY]);

async function clear(backend: Backend): Promise<void> {
  for (const namespace of namespaceNames) {
    const rows = adapterOf(backend, namespace);
    let keys: string[] = [];
    // Rows are read in the order of their keys, so that those already read may be deleted meanwhile.
    for await (const [key] of rowsIn(backend, namespace)) {
      if (namespace === 'meta' && KEPT_MARKS.has(key)) continue;
      keys.push(key);
      if (keys.length < MAX_WRITE_BATCH) continue;
      await rows.deleteMany(keys);
      keys = [];
    }
    if (keys.length > 0) await rows.deleteMany(keys);
  }
}

/** Whether no bot has used the store yet. */
export async function isUnused({ partitions }: WholeStore): Promise<boolean> {
  return (await Promise.all(partitions.map(({ backend }) => isEmpty(backend)))).every(Boolean);
}
