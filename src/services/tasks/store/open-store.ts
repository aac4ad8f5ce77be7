import { existsSync } from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { Connection } from './connection.ts';
import { lockStore } from './file-lock.ts';
import { KeptTasks } from './kept-tasks.ts';
import type { Migration } from './migrations.ts';
import { makePrivate, truePath } from './private-file.ts';
import { markSchema, refuseOthers } from './schema-version.ts';
import { shelvesOn } from './shelves.ts';
import { fileOf, IN_MEMORY, type StoreAddress } from './store-address.ts';
import { storeFailure } from './store-error.ts';

interface StoreParts {
  log: Log;
  clock: Clock;
  botVersion?: string | undefined;
  migrations?: ReadonlyMap<number, Migration> | undefined;
  /** How long to wait for another program that holds the database. */
  busyTimeoutMs?: number | undefined;
}

/** Throws a `StoreError` where the store cannot be used; nothing is opened then, and nothing changed. */
export async function openStore(address: StoreAddress, parts: StoreParts): Promise<KeptTasks> {
  const asked = fileOf(address);
  if (asked === IN_MEMORY) return keep(IN_MEMORY, () => undefined, parts);
  let unlock: (() => void) | undefined;
  try {
    const file = truePath(asked);
    unlock = lockStore(file);
    lookAt(file, parts.busyTimeoutMs);
    makePrivate(file);
    return await keep(file, unlock, parts);
  } catch (error) {
    unlock?.();
    throw storeFailure(error, asked);
  }
}

/** Reading only, so that a store that is refused stays as it is, to the last byte. */
function lookAt(file: string, busyTimeoutMs: number | undefined): void {
  if (!existsSync(file)) return;
  const connection = new Connection(file, { busyTimeoutMs, readOnly: true });
  try {
    refuseOthers(connection);
  } finally {
    connection.close();
  }
}

async function keep(file: string, unlock: () => void, { busyTimeoutMs, botVersion, ...parts }: StoreParts) {
  const connection = new Connection(file, { busyTimeoutMs });
  try {
    const shelves = shelvesOn(connection);
    await markSchema(shelves.meta, botVersion);
    const close = (): void => {
      connection.close();
      unlock();
    };
    return new KeptTasks({ ...parts, shelves, close });
  } catch (error) {
    connection.close();
    throw error;
  }
}
