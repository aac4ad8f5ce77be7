import { existsSync } from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { fileOf, IN_MEMORY, isLocal, type StoreAddress, StoreError } from '../backend.ts';
import { olderSchema, presentSchema, schemaName } from '../marks.ts';
import type { Namespaces } from '../namespaces.ts';
import { SqliteBackend } from '../sqlite.ts';
import { type BackupOptions, type WrittenBackup, writeBackup } from './backup-writer.ts';
import { rowsToKeep } from './rows-to-keep.ts';

interface UpgradeParts {
  log: Log;
  clock: Clock;
  botVersion?: string | undefined;
  backupPassphrase?: string | undefined;
  /** Whether the operator has confirmed that a store on a server is backed up. */
  mayMigrate?: boolean | undefined;
}

/** Backs up a store before this version changes its schema, so that the previous version can be restored. Throws if it cannot. */
export async function backUpBeforeUpgrade(
  address: StoreAddress,
  { meta }: Pick<Namespaces, 'meta'>,
  name: string,
  parts: UpgradeParts,
): Promise<void> {
  const previousSchema = await olderSchema(meta);
  if (!previousSchema || (isLocal(address) && fileOf(address) === IN_MEMORY)) return;
  const [from, to] = [schemaName(previousSchema), schemaName(presentSchema)];
  const versionSuffix = previousSchema.by === undefined ? '' : ` (${previousSchema.by})`;
  const { log, clock, botVersion = '', backupPassphrase: passphrase, mayMigrate = false } = parts;
  if (isLocal(address)) {
    try {
      const file = unusedName(`${name}.schema-${from}`);
      const { digest } = await backUpFile(name, file, { by: botVersion, now: clock.now(), passphrase });
      log.info({ file, digest, from, to }, 'The schema of the store is about to change; a backup was taken first.');
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      throw new StoreError(
        error.kind,
        `The store ${name} was written by an older Atelier${versionSuffix}, and the backup before its upgrade failed. Nothing was changed. ${error.message}`,
        error.cause,
      );
    }
    return;
  }
  if (!mayMigrate)
    throw new StoreError(
      'older',
      `The store ${name} was written by an older Atelier${versionSuffix}, and this version changes its schema (${from} to ${to}). Back it up with \`npm run backup -- <file>\`, then start once with \`npm start -- --migrate\`.`,
    );
  log.info({ store: name, from, to }, 'The schema of the store is about to change.');
}

/** Uses a separate connection, in addition to the one that owns the store. */
async function backUpFile(store: string, file: string, options: BackupOptions): Promise<WrittenBackup> {
  const backend = new SqliteBackend(store, { readOnly: true });
  try {
    return await writeBackup(file, rowsToKeep(backend), options);
  } finally {
    backend.close();
  }
}

/** An earlier upgrade may have left a backup of the same schema, which is kept. */
function unusedName(prefix: string): string {
  for (let number = 1; ; number++) {
    const name = `${prefix}${number === 1 ? '' : `-${number}`}.backup`;
    if (!existsSync(name)) return name;
  }
}
