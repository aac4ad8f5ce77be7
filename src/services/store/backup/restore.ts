import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { reconcileEntry, taskEntryKey } from '../../ledger/entry.ts';
import type { KindSpecs } from '../../tasks/kind-spec.ts';
import { markRestored } from '../../tasks/transitions.ts';
import { type Backend, type NamespacedRow, type StoreAddress, StoreError } from '../backend.ts';
import { type Examination, examineWholeStore } from '../examination/examination.ts';
import {
  isNewer,
  MOVE_KEY,
  markPartitions,
  markSchema,
  moveMark,
  PARTITIONS_KEY,
  SCHEMA_KEY,
  schemaIn,
  type WrittenSchema,
} from '../marks.ts';
import { type Namespaces, namespaceNames, openNamespaces } from '../namespaces.ts';
import {
  adapterOf,
  batchesOf,
  expiryOf,
  isEmpty,
  MAX_WRITE_BATCH,
  rowsIn,
  writeBatchSize,
  writeRows,
} from '../raw-rows.ts';
import type { OpenedBackend } from '../remote/partition.ts';
import { StoredTasks } from '../stored-tasks.ts';
import { openWhole, type WholeStore } from '../whole-store.ts';
import { Backup } from './backup-reader.ts';

export interface BackupFacts {
  digest: string;
  /** When the backup was started, and by which version of the bot. */
  at: number;
  by: string;
  isEncrypted: boolean;
  schema: WrittenSchema;
  /** How many partitions the store had. */
  partitions: number;
  rows: number;
  /** The number of rows, by the names of their namespaces. */
  counts: ReadonlyMap<string, number>;
}

export interface RestoredStore {
  name: string;
  /** How many rows were written, and how many were left out because they had expired or are never restored. */
  written: number;
  leftOut: number;
  /** Live tasks, and those of them whose outcome became unknown. */
  live: number;
  unconfirmed: number;
  examination: Examination;
}

interface RestoreParts {
  log: Log;
  clock: Clock;
  specs: KindSpecs;
  botVersion: string;
  leaseMs?: number | undefined;
  onProgress?: ((rows: number) => void) | undefined;
}

/** Proposals are not restored: a member may have confirmed one since, and would order twice by pressing the button again. */
const SKIPPED_NAMESPACE = 'proposals';

/** Reads a backup from beginning to end, which proves that it can be restored by this version. */
export async function checkBackup(backup: OpenedBackup): Promise<BackupFacts> {
  const { file, digest, header } = backup;
  const counts = new Map<string, number>();
  let schema: WrittenSchema | undefined;
  let count = 0;
  for await (const { namespace, key, text } of backup.rows()) {
    if (namespace === 'meta' && key === SCHEMA_KEY) schema = schemaIn(text);
    if (!namespaceNames.includes(namespace)) throw newerBackup(file, header.by);
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    count += 1;
  }
  if (!schema || isNewer(schema)) throw newerBackup(file, schema?.by ?? header.by);
  const { at, by, partitions, encryption } = header;
  return { digest, at, by, isEncrypted: encryption !== undefined, schema, partitions, rows: count, counts };
}

export type OpenedBackup = Pick<Backup, 'file' | 'digest' | 'header' | 'rows' | 'close'>;

export const openBackup = (file: string, passphrase: string | undefined): Promise<OpenedBackup> =>
  Backup.open(file, passphrase);

/**
 * Fills an empty store from a checked backup. Until the end the store is marked as unfinished: no bot starts on it, and another restore starts over.
 * Tasks in progress become unconfirmed, so that nothing is sent again without its member's decision.
 */
export async function restoreStore(
  backup: OpenedBackup,
  address: StoreAddress,
  parts: RestoreParts,
): Promise<RestoredStore> {
  const { partitions: count } = backup.header;
  const store = await openWhole(address, { ...parts, create: true, count });
  const [first] = store?.partitions ?? [];
  if (!store || !first) throw new Error('The store was not created.');
  try {
    const { meta } = openNamespaces(first.backend);
    const mark = moveMark(meta);
    await refuseNonEmpty(store, await mark.read());
    await mark.write({ from: backup.digest, isWhole: false, by: 'restore' });
    if (count > 1) await markPartitions(meta, count);
    for (const { backend } of store.partitions) await clear(backend);
    const { written, leftOut } = await fillStore(
      store.partitions.map(({ backend }) => backend),
      backup,
      parts,
    );
    let [live, unconfirmed] = [0, 0];
    for (const partition of store.partitions) {
      if (partition !== first && (await isEmpty(partition.backend))) continue;
      const namespaces = openNamespaces(partition.backend);
      const marked = await markTasksRestored(partition, namespaces, parts);
      live += marked.live;
      unconfirmed += marked.unconfirmed;
      // Rows of the live tasks are in this version now.
      await markSchema(namespaces.meta, parts.botVersion);
    }
    const examination = await examineWholeStore(store, { ...parts, repair: true });
    await meta.delete(MOVE_KEY);
    return { name: store.name, written, leftOut, live, unconfirmed, examination };
  } finally {
    await store.close();
  }
}

async function refuseNonEmpty(
  { name, partitions }: WholeStore,
  mark: { isWhole: boolean; by?: 'restore' | undefined } | undefined,
): Promise<void> {
  const isUnfinishedRestore = mark?.by === 'restore' && !mark.isWhole;
  if (isUnfinishedRestore) return;
  const areAllEmpty = async () => (await Promise.all(partitions.map(({ backend }) => isEmpty(backend)))).every(Boolean);
  if (await areAllEmpty()) return;
  throw new StoreError(
    'unsupported',
    `Nothing was restored to the store ${name} because it is not empty. Set STORE_URL to a new store, or move this one away first.`,
  );
}

/** These marks say that a restore has begun, and into how many partitions. */
const KEPT_MARKS: ReadonlySet<string> = new Set([MOVE_KEY, PARTITIONS_KEY]);

/** How many keys are held in memory while a store is cleared. */
const MAX_KEYS_IN_MEMORY = 10_000;

async function clear(backend: Backend): Promise<void> {
  for (const namespace of namespaceNames) {
    const target = adapterOf(backend, namespace);
    for (let keys = await nextKeys(backend, namespace); keys.length > 0; keys = await nextKeys(backend, namespace))
      for (const batch of batchesOf(keys, MAX_WRITE_BATCH)) await target.deleteMany(batch);
  }
}

async function nextKeys(backend: Backend, namespace: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key] of rowsIn(backend, namespace)) {
    if (namespace === 'meta' && KEPT_MARKS.has(key)) continue;
    keys.push(key);
    if (keys.length >= MAX_KEYS_IN_MEMORY) break;
  }
  return keys;
}

async function fillStore(
  backends: readonly Backend[],
  backup: OpenedBackup,
  { clock, onProgress }: RestoreParts,
): Promise<{ written: number; leftOut: number }> {
  const now = clock.now();
  let readCount = 0;
  let leftOut = 0;
  // By key, because a backup of Redis may contain a row twice; the later one is right.
  const batches = backends.map((backend) => ({
    backend,
    byNamespace: new Map(namespaceNames.map((namespace) => [namespace, new Map<string, NamespacedRow>()])),
  }));
  const flush = async (backend: Backend, namespace: string, batch: Map<string, NamespacedRow>): Promise<void> => {
    await writeRows(backend, adapterOf(backend, namespace), [...batch.values()]);
    batch.clear();
  };
  for await (const row of backup.rows()) {
    const { namespace, key, text, partition } = row;
    const { backend, byNamespace } = batches[partition] ?? {};
    const batch = byNamespace?.get(namespace);
    const expires = expiryOf(text);
    readCount += 1;
    onProgress?.(readCount);
    if (!backend || !batch || namespace === SKIPPED_NAMESPACE || (expires !== undefined && expires <= now)) {
      leftOut += 1;
      continue;
    }
    batch.set(key, row);
    if (batch.size >= writeBatchSize(namespace)) await flush(backend, namespace, batch);
  }
  for (const { backend, byNamespace } of batches)
    for (const [namespace, batch] of byNamespace) await flush(backend, namespace, batch);
  return { written: readCount - leftOut, leftOut };
}

/** Marks the live tasks as restored, and updates their ledger entries accordingly. */
async function markTasksRestored(
  { ownership, close }: OpenedBackend,
  namespaces: Namespaces,
  { specs, log, clock }: RestoreParts,
): Promise<{ live: number; unconfirmed: number }> {
  const store = new StoredTasks({ namespaces, ownership, close, specs, log, clock });
  const liveTasks = await store.live();
  let unconfirmed = 0;
  for (const original of liveTasks) {
    const task = markRestored(original, clock.now());
    await store.put(task);
    if (task.state === original.state) continue;
    unconfirmed += 1;
    await store.entries.change(taskEntryKey(task), (known) => reconcileEntry(known, task));
  }
  return { live: liveTasks.length, unconfirmed };
}

const newerBackup = (file: string, by: string): StoreError =>
  new StoreError(
    'newer',
    `The backup ${file} holds the store of a newer Atelier (${by}). Restore it with that version.`,
  );
