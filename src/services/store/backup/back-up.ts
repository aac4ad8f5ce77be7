import { publicName, type StoreAddress } from '../backend.ts';
import { openReadOnly } from '../open-store.ts';
import type { RemoteParts } from '../remote/connect.ts';
import type { ReadableStore } from '../remote/open-remote.ts';
import type { BackupRow } from './backup-format.ts';
import { type BackupOptions, type WrittenBackup, writeBackup } from './backup-writer.ts';
import { missingStoreError, rowsToKeep } from './rows-to-keep.ts';

/** Backs up a store that a bot may be using at the same time. */
export async function backUpStore(
  address: StoreAddress,
  file: string,
  { log, clock, ...options }: Omit<BackupOptions, 'now' | 'partitions'> & RemoteParts,
): Promise<WrittenBackup> {
  const store = await openReadOnly(address, { log, clock });
  if (!store) throw missingStoreError(publicName(address));
  try {
    const { count: partitions } = store;
    return await writeBackup(file, rowsOf(store), { ...options, partitions, now: clock.now() });
  } finally {
    await store.close();
  }
}

/** The first partition comes first, because it contains the mark of an incomplete store. */
async function* rowsOf({ partitions }: ReadableStore): AsyncGenerator<BackupRow> {
  for (const [partition, backend] of partitions)
    for await (const row of rowsToKeep(backend, { mustBeMarked: partition === 0 })) yield { ...row, partition };
}
