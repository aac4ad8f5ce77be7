import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { reconcileEntry, taskEntryKey } from '../../ledger/entry.ts';
import type { KindSpecs } from '../../tasks/task.ts';
import { markRestored } from '../../tasks/transitions.ts';
import { type Backend, type PlacedRow, type StoreAddress, StoreError } from '../backend.ts';
import { type Examination, examineWhole } from '../examination/examination.ts';
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
  rowsIn,
  WRITTEN_AT_ONCE,
  writeRows,
  writtenAtOnce,
} from '../raw-rows.ts';
import type { OpenedBackend } from '../remote/partition.ts';
import { StoredTasks } from '../stored-tasks.ts';
import { openWhole, type WholeStore } from '../whole-store.ts';
import { Backup } from './backup-reader.ts';

export interface BackupFacts {
  digest: string;
  /** When it was begun, and by which version of the bot. */
  at: number;
  by: string;
  isEncrypted: boolean;
  schema: WrittenSchema;
  /** How many partitions the store had. */
  partitions: number;
  rows: number;
  /** By the names of their namespaces. */
  counts: ReadonlyMap<string, number>;
}

export interface RestoredStore {
  name: string;
  /** Rows written, and left out because their time was over, or because they are not taken up. */
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

/** A member may have confirmed one since, and would order twice with another press. */
const NOT_TAKEN_UP = 'proposals';

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
 * Fills an empty store from a checked backup. Until the end the store is marked as unfinished, and no bot starts on it; a repeat begins anew. What was
 * under way becomes unconfirmed, so that nothing is sent without its member.
 */
export async function restoreStore(
  backup: OpenedBackup,
  address: StoreAddress,
  parts: RestoreParts,
): Promise<RestoredStore> {
  const { partitions: count } = backup.header;
  const store = await openWhole(address, { ...parts, makes: true, count });
  const [first] = store?.partitions ?? [];
  if (!store || !first) throw new Error('A store that is created if it is missing is there.');
  try {
    const { meta } = openNamespaces(first.backend);
    const mark = moveMark(meta);
    await mustBeFree(store, await mark.read());
    await mark.write({ from: backup.digest, isWhole: false, by: 'restore' });
    if (count > 1) await markPartitions(meta, count);
    for (const { backend } of store.partitions) await clear(backend);
    const { written, leftOut } = await fill(
      store.partitions.map(({ backend }) => backend),
      backup,
      parts,
    );
    let [live, unconfirmed] = [0, 0];
    for (const partition of store.partitions) {
      if (partition !== first && (await isEmpty(partition.backend))) continue;
      const namespaces = openNamespaces(partition.backend);
      const taken = await takeUp(partition, namespaces, parts);
      live += taken.live;
      unconfirmed += taken.unconfirmed;
      // Rows of the live tasks are in this version now.
      await markSchema(namespaces.meta, parts.botVersion);
    }
    const examination = await examineWhole(store, { ...parts, repair: true });
    await meta.delete(MOVE_KEY);
    return { name: store.name, written, leftOut, live, unconfirmed, examination };
  } finally {
    await store.close();
  }
}

async function mustBeFree(
  { name, partitions }: WholeStore,
  mark: { isWhole: boolean; by?: 'restore' | undefined } | undefined,
): Promise<void> {
  const isOwnRest = mark?.by === 'restore' && !mark.isWhole;
  if (isOwnRest) return;
  const isFree = async () => (await Promise.all(partitions.map(({ backend }) => isEmpty(backend)))).every(Boolean);
  if (await isFree()) return;
  throw new StoreError(
    'unsupported',
    `Nothing was restored to the store ${name} because it is not empty. Set STORE_URL to a new store, or move this one away first.`,
  );
}

/** They say that a restore has begun, and into how many partitions. */
const KEPT_MARKS: ReadonlySet<string> = new Set([MOVE_KEY, PARTITIONS_KEY]);

/** Held at once while a store is cleared. */
const KEYS_AT_ONCE = 10_000;

async function clear(backend: Backend): Promise<void> {
  for (const namespace of namespaceNames) {
    const target = adapterOf(backend, namespace);
    for (let keys = await someKeys(backend, namespace); keys.length > 0; keys = await someKeys(backend, namespace))
      for (const some of batchesOf(keys, WRITTEN_AT_ONCE)) await target.deleteMany(some);
  }
}

async function someKeys(backend: Backend, namespace: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key] of rowsIn(backend, namespace)) {
    if (namespace === 'meta' && KEPT_MARKS.has(key)) continue;
    keys.push(key);
    if (keys.length >= KEYS_AT_ONCE) break;
  }
  return keys;
}

async function fill(
  backends: readonly Backend[],
  backup: OpenedBackup,
  { clock, onProgress }: RestoreParts,
): Promise<{ written: number; leftOut: number }> {
  const now = clock.now();
  let read = 0;
  let leftOut = 0;
  // By key: a backup of Redis may have a row twice, of which the later one is right.
  const batches = backends.map((backend) => ({
    backend,
    byNamespace: new Map(namespaceNames.map((namespace) => [namespace, new Map<string, PlacedRow>()])),
  }));
  const flush = async (backend: Backend, namespace: string, batch: Map<string, PlacedRow>): Promise<void> => {
    await writeRows(backend, adapterOf(backend, namespace), [...batch.values()]);
    batch.clear();
  };
  for await (const row of backup.rows()) {
    const { namespace, key, text, partition } = row;
    const { backend, byNamespace } = batches[partition] ?? {};
    const batch = byNamespace?.get(namespace);
    const expires = expiryOf(text);
    read += 1;
    onProgress?.(read);
    if (!backend || !batch || namespace === NOT_TAKEN_UP || (expires !== undefined && expires <= now)) {
      leftOut += 1;
      continue;
    }
    batch.set(key, row);
    if (batch.size >= writtenAtOnce(namespace)) await flush(backend, namespace, batch);
  }
  for (const { backend, byNamespace } of batches)
    for (const [namespace, batch] of byNamespace) await flush(backend, namespace, batch);
  return { written: read - leftOut, leftOut };
}

/** Marks the live tasks as restored, and writes what that means to the ledger. */
async function takeUp(
  { ownership, close }: OpenedBackend,
  namespaces: Namespaces,
  { specs, log, clock }: RestoreParts,
): Promise<{ live: number; unconfirmed: number }> {
  const store = new StoredTasks({ namespaces, ownership, close, specs, log, clock });
  const live = await store.live();
  let unconfirmed = 0;
  for (const before of live) {
    const task = markRestored(before, clock.now());
    await store.put(task);
    if (task.state === before.state) continue;
    unconfirmed += 1;
    await store.entries.change(taskEntryKey(task), (known) => reconcileEntry(known, task));
  }
  return { live: live.length, unconfirmed };
}

const newerBackup = (file: string, by: string): StoreError =>
  new StoreError(
    'newer',
    `The backup ${file} holds the store of a newer Atelier (${by}). Restore it with that version.`,
  );
