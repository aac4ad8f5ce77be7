import { type Backend, type PlacedRow, publicName, type StoreAddress, StoreError } from '../backend.ts';
import { MOVE_KEY, refuseIncompleteRow, refuseNewer, SCHEMA_KEY } from '../marks.ts';
import { namespaceNames } from '../namespaces.ts';
import { openToRead } from '../open-store.ts';
import type { RemoteParts } from '../remote/open-remote.ts';
import { type BackupOptions, type WrittenBackup, writeBackup } from './backup-writer.ts';

/** Backs up a store that a bot may be using meanwhile. */
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

/** All rows. Throws where together they are no store that a bot may start on. */
export async function* rowsToKeep(backend: Backend): AsyncGenerator<PlacedRow> {
  let isMarked = false;
  for await (const row of backend.everyRow(namespaceNames)) {
    if (row.namespace === 'meta' && row.key === MOVE_KEY) {
      refuseIncompleteRow(backend.name, row.text);
      continue;
    }
    if (row.namespace === 'meta' && row.key === SCHEMA_KEY) {
      refuseNewer(backend.name, row.text);
      isMarked = true;
    }
    yield row;
  }
  if (!isMarked) throw nothingThere(backend.name);
}

const nothingThere = (name: string): StoreError =>
  new StoreError(
    'unsupported',
    `There is no Atelier store in ${name}, so there is nothing to back up. Check STORE_URL.`,
  );
