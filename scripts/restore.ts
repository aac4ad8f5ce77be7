import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { kindSpecs } from '../src/commands/index.ts';
import { systemClock } from '../src/lib/clock.ts';
import { terminalSafe } from '../src/lib/text.ts';
import { passwordsIn, publicName, type StoreAddress } from '../src/services/store/backend.ts';
import { type Backup, openBackup } from '../src/services/store/copy/backup-file.ts';
import { restoreStore } from '../src/services/store/copy/restore.ts';
import { schemaName } from '../src/services/store/rows/marks.ts';
import { printExamination } from './findings.ts';
import { configuredPassphrase, configuredStore, explainStoreError, openLog, printProgress } from './store-script.ts';
import { EX_NOINPUT, EX_USAGE, runScript, Stop } from './usage.ts';

const USAGE = 'npm run restore -- FILE [--dry-run]';
const does =
  'Fills the store at STORE_URL from a file that npm run backup wrote. The store must be empty. Stop the bot first.';
const inputs = {
  BACKUP_PASSPHRASE:
    'the passphrase of an encrypted file (or BACKUP_PASSPHRASE_FILE, which names a file that holds it)',
};
const options = { 'dry-run': { type: 'boolean', help: 'only checks the file and counts its rows' } } as const;
const script = { usage: USAGE, does, inputs, options, allowPositionals: true, explain: explainStoreError };

await runScript(script, async (values, [file, ...others]) => {
  if (file === undefined || others.length > 0) throw new Stop(EX_USAGE, `Usage: ${USAGE}. Specify one file.`);
  checkReadable(file);
  const passphrase = configuredPassphrase();
  const address = values['dry-run'] ? undefined : configuredStore();
  // Reads the whole file first, so nothing is changed if it turns out to be damaged.
  const backup = await openBackup(file, passphrase);
  try {
    printBackup(backup);
    if (address) await fill(backup, address, passphrase);
  } finally {
    backup.close();
  }
  return 0;
});

function checkReadable(file: string): void {
  const name = terminalSafe(resolve(file));
  if (!existsSync(file)) throw new Stop(EX_NOINPUT, `There is no file ${name}.`);
  if (statSync(file).isDirectory())
    throw new Stop(EX_NOINPUT, `${name} is a folder. Specify a file that npm run backup wrote.`);
  try {
    accessSync(file, constants.R_OK);
  } catch {
    throw new Stop(EX_NOINPUT, `The file ${name} cannot be read. Correct its permissions.`);
  }
}

async function fill(backup: Backup, address: StoreAddress, passphrase = ''): Promise<void> {
  console.error(`Restoring to the store ${publicName(address)} …`);
  const { written, leftOut, live, unconfirmed, examination } = await restoreStore(backup, address, {
    log: openLog([...passwordsIn(address.url), passphrase]),
    clock: systemClock,
    specs: kindSpecs,
    botVersion: packageFile.version,
    onProgress: printProgress,
  });
  printExamination(examination, true);
  console.log(
    `Restore complete: ${written} rows, ${leftOut} left out because they had expired or were unanswered confirmations.`,
  );
  console.log(
    `Tasks under way: ${live}. Of these, with an unknown outcome, for their members to resolve: ${unconfirmed}.`,
  );
}

function printBackup({ facts, schema, isEncrypted, digest }: Backup): void {
  const { at, by, partitions, sums } = facts;
  console.log(`Backup from ${new Date(at).toISOString()}, written by Atelier ${terminalSafe(by)}:`);
  for (const [namespace, { count }] of Object.entries(sums)) console.log(`  ${namespace.padEnd(12)} ${count}`);
  const rows = Object.values(sums).reduce((total, { count }) => total + count, 0);
  console.log(`Rows: ${rows}. Schema: ${schemaName(schema)}. ${isEncrypted ? 'Encrypted' : 'Not encrypted'}.`);
  if (partitions > 1)
    console.log(
      `Partitions: ${partitions}. Restore it to a Redis or Postgres server; migrate-store changes their number.`,
    );
  console.log(`SHA-256 ${digest}`);
}
