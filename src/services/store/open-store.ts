import { existsSync } from 'node:fs';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import { type Backend, fileOf, IN_MEMORY, isLocal, type StoreAddress } from './backend.ts';
import { soleOwnership } from './lease.ts';
import { openNamespaces, StoreHealth, type StoreUseListener } from './namespaces.ts';
import {
  type OpenedBackend,
  openRemote,
  openRemoteReadOnly,
  type ReadableStore,
  type RemoteParts,
} from './remote/open-remote.ts';
import { markSchema, refuseBackup, refuseForeign, refuseIncomplete } from './rows/marks.ts';
import { NoQuarantine } from './rows/rows.ts';
import { lockStore, makePrivate, resolvePath, SqliteBackend, sqliteFailure } from './rows/sqlite.ts';
import type { Migration } from './rows/task-rows.ts';
import { openStoredTasks, type StoredTasks } from './stored-tasks.ts';

interface OpenParts extends RemoteParts {
  busyTimeoutMs?: number | undefined;
}

export interface StoreParts extends OpenParts {
  specs: KindSpecs;
  botVersion?: string | undefined;
  migrations?: ReadonlyMap<number, Migration> | undefined;
  onUse?: StoreUseListener | undefined;
}

/** Throws a `StoreError` if the store cannot be used; in that case, nothing is opened or changed. */
export async function openStore(address: StoreAddress, parts: StoreParts): Promise<StoredTasks> {
  return openTasks(await openBackend(address, parts), parts);
}

/** Opens the tasks of an opened backend, and closes the backend if its store cannot be used. */
export async function openTasks({ backend, ownership, close }: OpenedBackend, parts: StoreParts): Promise<StoredTasks> {
  try {
    const health = new StoreHealth(parts.clock);
    const namespaces = openNamespaces(backend, (use) => {
      health.record(use);
      parts.onUse?.(use);
    });
    await refuseIncomplete(namespaces.meta, backend.name);
    await markSchema(namespaces.meta, parts.botVersion);
    return openStoredTasks({ ...parts, namespaces, ownership, health, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** The tasks of a store that another process owns, as last written. Nothing in it can be changed. */
export function readTasks(backend: Backend, parts: StoreParts): StoredTasks {
  const namespaces = openNamespaces(backend);
  const quarantine = new NoQuarantine(namespaces.quarantine, parts);
  return openStoredTasks({ ...parts, namespaces, quarantine, close: () => undefined });
}

/** Opens the rows behind a URL for this process alone, and creates a missing store. */
export async function openBackend(address: StoreAddress, parts: OpenParts): Promise<OpenedBackend> {
  return isLocal(address) ? openFile(address, parts) : openRemote(address, parts);
}

/** Opens a store that a bot may own, only to read it; creates nothing. */
export async function openReadOnly(address: StoreAddress, parts: OpenParts): Promise<ReadableStore | undefined> {
  if (!isLocal(address)) return openRemoteReadOnly(address, parts);
  const file = fileOf(address);
  if (!existsSync(file)) return undefined;
  const backend = new SqliteBackend(file, { busyTimeoutMs: parts.busyTimeoutMs, readOnly: true });
  const close = async (): Promise<void> => backend.close();
  try {
    refuseForeign(backend);
    if (backend.rows('SELECT name FROM sqlite_master').length > 0)
      return { count: 1, partitions: new Map([[0, backend]]), close };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}

function openFile(address: StoreAddress, { busyTimeoutMs }: OpenParts): OpenedBackend {
  const path = fileOf(address);
  if (path === IN_MEMORY) return openedBackend(new SqliteBackend(IN_MEMORY), () => undefined);
  let unlock: (() => void) | undefined;
  try {
    const file = resolvePath(path);
    refuseBackup(file);
    unlock = lockStore(file);
    checkFile(file, busyTimeoutMs);
    makePrivate(file);
    return openedBackend(new SqliteBackend(file, { busyTimeoutMs }), unlock);
  } catch (error) {
    unlock?.();
    throw sqliteFailure(error, path);
  }
}

function openedBackend(backend: SqliteBackend, unlock: () => void): OpenedBackend {
  const close = async (): Promise<void> => {
    backend.close();
    unlock();
  };
  return { backend, ownership: soleOwnership, close };
}

/** Opens the file read-only, so that a refused store stays unchanged to the last byte. */
function checkFile(file: string, busyTimeoutMs: number | undefined): void {
  if (!existsSync(file)) return;
  using connection = new SqliteBackend(file, { busyTimeoutMs, readOnly: true });
  refuseForeign(connection);
}
