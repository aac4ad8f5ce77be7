import { existsSync } from 'node:fs';
import type { KindSpecs } from '../tasks/task.ts';
import { fileOf, IN_MEMORY, isLocal, type StoreAddress } from './backend.ts';
import { secureOlder } from './backup/before-upgrade.ts';
import { StoreHealth } from './health.ts';
import { soleOwnership } from './lease.ts';
import { markSchema, refuseForeign, refuseIncomplete } from './marks.ts';
import { type NoteStoreUse, openNamespaces } from './namespaces.ts';
import type { RemoteParts } from './remote/connect.ts';
import { openRemote, openRemoteToRead } from './remote/open-remote.ts';
import type { OpenedBackend } from './remote/partition.ts';
import { lockStore, makePrivate, resolvePath, SqliteBackend, sqliteFailure } from './sqlite.ts';
import { StoredTasks } from './stored-tasks.ts';
import type { Migration } from './task-rows.ts';

interface OpenParts extends RemoteParts {
  busyTimeoutMs?: number | undefined;
}

export interface StoreParts extends OpenParts {
  specs: KindSpecs;
  botVersion?: string | undefined;
  migrations?: ReadonlyMap<number, Migration> | undefined;
  onUse?: NoteStoreUse | undefined;
  backupPassphrase?: string | undefined;
  /** Whether the schema of a store on a server may be changed, which is not backed up at the start. */
  mayMigrate?: boolean | undefined;
}

/** Throws a `StoreError` if the store cannot be used; nothing is opened or changed then. */
export async function openStore(address: StoreAddress, parts: StoreParts): Promise<StoredTasks> {
  return openTasks(address, await openBackend(address, parts), parts);
}

/** The tasks in opened rows. The rows are closed if the store cannot be used. */
export async function openTasks(
  address: StoreAddress,
  { backend, ownership, close }: OpenedBackend,
  parts: StoreParts,
): Promise<StoredTasks> {
  try {
    const health = new StoreHealth(parts.clock);
    const namespaces = openNamespaces(backend, (use) => {
      health.note(use);
      parts.onUse?.(use);
    });
    await refuseIncomplete(namespaces.meta, backend.name);
    await secureOlder(address, namespaces, backend.name, parts);
    const olderSchema = await markSchema(namespaces.meta, parts.botVersion);
    return new StoredTasks({ ...parts, namespaces, ownership, health, olderSchema, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the rows behind an address for this process alone, and creates a missing store. */
export async function openBackend(address: StoreAddress, parts: OpenParts): Promise<OpenedBackend> {
  if (isLocal(address)) return openFile(address, parts);
  const opened = await openRemote(address, parts, { makes: true });
  if (!opened) throw new Error('A newly created store is missing.');
  return opened;
}

/** Opens a store only if a bot has used it before; creates nothing. */
export async function openExisting(address: StoreAddress, parts: OpenParts): Promise<OpenedBackend | undefined> {
  if (!isLocal(address)) return openRemote(address, parts, { makes: false });
  return existsSync(fileOf(address)) ? openFile(address, parts) : undefined;
}

/** Opens a store that a bot may own, for reading only; creates nothing. */
export async function openToRead(
  address: StoreAddress,
  parts: OpenParts,
): Promise<Omit<OpenedBackend, 'ownership'> | undefined> {
  if (!isLocal(address)) return openRemoteToRead(address, parts);
  const file = fileOf(address);
  if (!existsSync(file)) return undefined;
  const backend = new SqliteBackend(file, { busyTimeoutMs: parts.busyTimeoutMs, readOnly: true });
  const close = async (): Promise<void> => backend.close();
  try {
    refuseForeign(backend);
    if (backend.rows('SELECT name FROM sqlite_master').length > 0) return { backend, close };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}

function openFile(address: StoreAddress, { busyTimeoutMs }: OpenParts): OpenedBackend {
  const asked = fileOf(address);
  if (asked === IN_MEMORY) return opened(new SqliteBackend(IN_MEMORY), () => undefined);
  let unlock: (() => void) | undefined;
  try {
    const file = resolvePath(asked);
    unlock = lockStore(file);
    checkFile(file, busyTimeoutMs);
    makePrivate(file);
    return opened(new SqliteBackend(file, { busyTimeoutMs }), unlock);
  } catch (error) {
    unlock?.();
    throw sqliteFailure(error, asked);
  }
}

function opened(backend: SqliteBackend, unlock: () => void): OpenedBackend {
  const close = async (): Promise<void> => {
    backend.close();
    unlock();
  };
  return { backend, ownership: soleOwnership, close };
}

/** Read-only, so that a refused store stays unchanged to the last byte. */
function checkFile(file: string, busyTimeoutMs: number | undefined): void {
  if (!existsSync(file)) return;
  const connection = new SqliteBackend(file, { busyTimeoutMs, readOnly: true });
  try {
    refuseForeign(connection);
  } finally {
    connection.close();
  }
}
