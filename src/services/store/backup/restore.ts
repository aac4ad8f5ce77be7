import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { reconcileEntry, taskEntryKey } from '../../ledger/entry.ts';
import type { KindSpecs } from '../../tasks/task.ts';
import { markRestored } from '../../tasks/transitions.ts';
import { type Backend, type PlacedRow, type StoreAddress, StoreError } from '../backend.ts';
import { type Examination, examineRows } from '../examination/examination.ts';
import { isNewer, MOVE_KEY, markSchema, moveMark, SCHEMA_KEY, schemaIn, type WrittenSchema } from '../marks.ts';
import { type Namespaces, namespaceNames, openNamespaces } from '../namespaces.ts';
import { openBackend } from '../open-store.ts';
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
import { Backup } from './backup-reader.ts';

export interface BackupFacts {
  digest: string;
  /** When the backup was started, and by which version of the bot. */
  at: number;
  by: string;
  isEncrypted: boolean;
  schema: WrittenSchema;
  rows: number;
  /** The rows by the names of their namespaces. */
  counts: ReadonlyMap<string, number>;
}

export interface RestoredStore {
  name: string;
  /** The numbers of rows that were written, that were omitted because they had expired, and that were omitted because they are not restored. */
  written: number;
  leftOut: number;
  /** The number of live tasks, and of those whose outcome became unknown. */
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

/** A member may have confirmed one since the backup, and would order it a second time by pressing again. */
const NOT_RESTORED = 'proposals';

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
  const { at, by, encryption } = header;
  return { digest, at, by, isEncrypted: encryption !== undefined, schema, rows: count, counts };
}

export type OpenedBackup = Pick<Backup, 'file' | 'digest' | 'header' | 'rows' | 'close'>;

export const openBackup = (file: string, passphrase: string | undefined): Promise<OpenedBackup> =>
  Backup.open(file, passphrase);

/**
 * Fills an empty store from a checked backup. Until the end the store is marked as unfinished, so that no bot starts on it; another attempt starts
 * from the beginning. Running orders become unconfirmed, so that nothing is sent without the member's decision.
 */
export async function restoreStore(
  backup: OpenedBackup,
  address: StoreAddress,
  parts: RestoreParts,
): Promise<RestoredStore> {
  const target = await openBackend(address, parts);
  try {
    const { backend } = target;
    const namespaces = openNamespaces(backend);
    const mark = moveMark(namespaces.meta);
    await mustBeFree(backend, await mark.read());
    await mark.write({ from: backup.digest, isWhole: false, by: 'restore' });
    await clear(backend);
    const { written, leftOut } = await fill(backend, backup, parts);
    const { live, unconfirmed } = await takeUp(target, namespaces, parts);
    // The rows of the live tasks have been migrated to this version.
    await markSchema(namespaces.meta, parts.botVersion);
    const examination = await examineRows(backend, { ...parts, repair: true });
    await namespaces.meta.delete(MOVE_KEY);
    return { name: backend.name, written, leftOut, live, unconfirmed, examination };
  } finally {
    await target.close();
  }
}

async function mustBeFree(
  backend: Backend,
  mark: { isWhole: boolean; by?: 'restore' | undefined } | undefined,
): Promise<void> {
  const isOwnRest = mark?.by === 'restore' && !mark.isWhole;
  if (isOwnRest || (await isEmpty(backend))) return;
  throw new StoreError(
    'unsupported',
    `Nothing was restored to the store ${backend.name} because it is not empty. Set STORE_URL to a new store, or move this one away first.`,
  );
}

/** The number of keys held in memory at once while a store is cleared. */
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
    if (namespace === 'meta' && key === MOVE_KEY) continue;
    keys.push(key);
    if (keys.length >= KEYS_AT_ONCE) break;
  }
  return keys;
}

async function fill(
  backend: Backend,
  backup: OpenedBackup,
  { clock, onProgress }: RestoreParts,
): Promise<{ written: number; leftOut: number }> {
  const now = clock.now();
  let read = 0;
  let leftOut = 0;
  // By key: a backup of Redis may contain a row twice, and then the later one counts.
  const batches = new Map(namespaceNames.map((namespace) => [namespace, new Map<string, PlacedRow>()]));
  const flush = async (namespace: string, batch: Map<string, PlacedRow>): Promise<void> => {
    await writeRows(backend, adapterOf(backend, namespace), [...batch.values()]);
    batch.clear();
  };
  for await (const row of backup.rows()) {
    const { namespace, key, text } = row;
    const batch = batches.get(namespace);
    const expires = expiryOf(text);
    read += 1;
    onProgress?.(read);
    if (!batch || namespace === NOT_RESTORED || (expires !== undefined && expires <= now)) {
      leftOut += 1;
      continue;
    }
    batch.set(key, row);
    if (batch.size >= writtenAtOnce(namespace)) await flush(namespace, batch);
  }
  for (const [namespace, batch] of batches) await flush(namespace, batch);
  return { written: read - leftOut, leftOut };
}

/** Marks the live tasks as restored, and updates the ledger accordingly. */
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
