import packageFile from '../package.json' with { type: 'json' };
import { systemClock } from '../src/lib/clock.ts';
import { passwordsIn, publicName } from '../src/services/store/backend.ts';
import { backUpStore } from '../src/services/store/copy/back-up.ts';
import { configuredPassphrase, configuredStore, explainStoreError, openLog, printProgress } from './store-script.ts';
import { EX_USAGE, runScript, Stop } from './usage.ts';

const USAGE = 'npm run backup -- FILE';
const does = 'Copies everything in the store at STORE_URL into one new file. The bot can keep running.';
const inputs = {
  BACKUP_PASSPHRASE:
    'encrypts the file for the program `age` (or BACKUP_PASSPHRASE_FILE, which names a file that holds it)',
};
const script = { usage: USAGE, does, inputs, allowPositionals: true, explain: explainStoreError };

await runScript(script, async (_values, [file, ...others]) => {
  if (file === undefined || others.length > 0) throw new Stop(EX_USAGE, `Usage: ${USAGE}. Specify one new file.`);
  const address = configuredStore();
  const passphrase = configuredPassphrase();
  console.error(`Backing up the store ${publicName(address)} …`);
  const { rows, bytes, digest } = await backUpStore(address, file, {
    log: openLog([...passwordsIn(address.url), passphrase ?? '']),
    clock: systemClock,
    by: packageFile.version,
    passphrase,
    onProgress: printProgress,
  });
  const encryption = passphrase === undefined ? 'not encrypted: set BACKUP_PASSPHRASE to encrypt it' : 'encrypted';
  console.log(`Backup ${file}: ${rows} rows, ${bytes} bytes, ${encryption}.`);
  console.log(`SHA-256 ${digest}`);
  return 0;
});
