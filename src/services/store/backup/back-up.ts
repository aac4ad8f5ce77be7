import { publicName, type StoreAddress } from '../backend.ts';
import { openToRead } from '../open-store.ts';
import type { RemoteParts } from '../remote/connect.ts';
import { type BackupOptions, type WrittenBackup, writeBackup } from './backup-writer.ts';
import { nothingThere, rowsToKeep } from './rows-to-keep.ts';

/** Backs up a store that a bot may be using at the same time. */
export async function backUpStore(
  address: StoreAddress,
  file: string,
  { log, clock, ...options }: Omit<BackupOptions, 'now'> & RemoteParts,
): Promise<WrittenBackup> {
  const opened = await openToRead(address, { log, clock });
  if (!opened) throw nothingThere(publicName(address));
  try {
    return await writeBackup(file, rowsToKeep(opened.backend), { ...options, now: clock.now() });
  } finally {
    await opened.close();
  }
}
