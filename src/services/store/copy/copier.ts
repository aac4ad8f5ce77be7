import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Backend, type NamespacedRow, rowsIn } from '../backend.ts';
import { namespaceNames, openNamespaces } from '../namespaces.ts';
import { MOVE_KEY, type MoveMark, markPartitions, moveMark, PARTITIONS_KEY } from '../rows/marks.ts';
import { batchesOf, deleteRows, isEmpty, MAX_WRITE_BATCH, writeBatchSize, writeRows } from '../rows/raw-rows.ts';
import type { WholeStore } from '../rows/whole-store.ts';

export interface PartitionRow extends NamespacedRow {
  partition: number;
}

export type RowStream = AsyncIterable<PartitionRow> | Iterable<PartitionRow>;

/** A summary of rows that does not depend on their order. */
export interface Sum {
  count: number;
  checksum: string;
}

const MODULUS = 2n ** 128n;

/** The sums of rows, by the names of their namespaces. The same row in another partition counts as a different row. */
export class RowSums {
  readonly #sums = new Map<string, { count: number; total: bigint }>();

  add({ partition, namespace, key, text }: PartitionRow): void {
    const sum = this.#sums.get(namespace) ?? { count: 0, total: 0n };
    const digest = createHash('sha256').update(`${partition} ${key.length} ${key}${text}`).digest('hex').slice(0, 32);
    this.#sums.set(namespace, { count: sum.count + 1, total: (sum.total + BigInt(`0x${digest}`)) % MODULUS });
  }

  get(namespace: string): Sum {
    const { count, total } = this.#sums.get(namespace) ?? { count: 0, total: 0n };
    return { count, checksum: total.toString(16).padStart(32, '0') };
  }

  all(): Record<string, Sum> {
    return Object.fromEntries([...this.#sums.keys()].sort().map((namespace) => [namespace, this.get(namespace)]));
  }
}

export async function* addingTo(sums: RowSums, rows: RowStream): AsyncGenerator<PartitionRow> {
  for await (const row of rows) {
    sums.add(row);
    yield row;
  }
}

export async function sumsOf(rows: RowStream): Promise<RowSums> {
  const sums = new RowSums();
  await copyRows(addingTo(sums, rows), async () => undefined);
  return sums;
}

/** How much is held in memory before it is written: an order as it was sent may be tens of megabytes in size. */
const MAX_PENDING_ROWS = 2_000;
const MAX_PENDING_CHARACTERS = 16_000_000;

/** Called with the number of rows so far. */
export type OnProgress = (rows: number) => void;

/** Returns the number of rows. */
export async function copyRows(
  rows: RowStream,
  write: (rows: readonly PartitionRow[]) => Promise<void>,
  onProgress?: OnProgress,
): Promise<number> {
  let pendingRows: PartitionRow[] = [];
  let characters = 0;
  let count = 0;
  const flush = async (): Promise<void> => {
    await write(pendingRows);
    pendingRows = [];
    characters = 0;
    // SQLite responds synchronously, and a lease is renewed in between.
    await setImmediate();
  };
  for await (const row of rows) {
    pendingRows.push(row);
    characters += row.text.length;
    count += 1;
    onProgress?.(count);
    if (pendingRows.length >= MAX_PENDING_ROWS || characters >= MAX_PENDING_CHARACTERS) await flush();
  }
  await flush();
  return count;
}

/** The rows of a store that nothing else uses, without those that have expired. */
export async function* rowsOf(backends: readonly Backend[], namespace: string): AsyncGenerator<PartitionRow> {
  for (const [partition, backend] of backends.entries())
    for await (const { key, text } of rowsIn(backend, namespace))
      if (!isMoveMark(namespace, key)) yield { partition, namespace, key, text };
}

/** The mark of a move or a restore is never copied. */
export const isMoveMark = (namespace: string, key: string): boolean => namespace === 'meta' && key === MOVE_KEY;

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
      const [{ partition = 0 } = {}] = batch;
      const backend = backends[partition];
      if (!backend) throw new Error(`There is no partition ${partition}.`);
      await writeRows(backend, batch);
    }
}

/** These marks say that the store is being filled, and into how many partitions. */
const KEPT_MARKS: ReadonlySet<string> = new Set([MOVE_KEY, PARTITIONS_KEY]);

async function clear(backend: Backend): Promise<void> {
  for (const namespace of namespaceNames) {
    let keys: string[] = [];
    // Rows are read in the order of their keys, so that those already read may be deleted meanwhile.
    for await (const { key } of rowsIn(backend, namespace)) {
      if (namespace === 'meta' && KEPT_MARKS.has(key)) continue;
      keys.push(key);
      if (keys.length < MAX_WRITE_BATCH) continue;
      await deleteRows(backend, namespace, keys);
      keys = [];
    }
    await deleteRows(backend, namespace, keys);
  }
}

/** Whether no bot has used the store yet. */
export async function isUnused({ partitions }: WholeStore): Promise<boolean> {
  return (await Promise.all(partitions.map(({ backend }) => isEmpty(backend)))).every(Boolean);
}
