import { publicName, type StoreAddress } from '../backend.ts';
import { openReadOnly } from '../open-store.ts';
import type { RemoteParts } from '../remote/connect.ts';
import { type BackupOptions, missingStoreError, type WrittenBackup, writeBackup } from './backup-writer.ts';

/** Backs up a store that a bot may be using at the same time. */
export async function backUpStore(
  address: StoreAddress,
  file: string,
  { log, clock, ...options }: Omit<BackupOptions, 'now' | 'count'> & RemoteParts,
): Promise<WrittenBackup> {
  const store = await openReadOnly(address, { log, clock });
  if (!store) throw missingStoreError(publicName(address));
  try {
    return await writeBackup(file, store.partitions, { ...options, count: store.count, now: clock.now() });
  } finally {
    await store.close();
  }
}
