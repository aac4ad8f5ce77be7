import { parseArgs } from 'node:util';
import packageFile from '../package.json' with { type: 'json' };
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/log.ts';
import { passwordsIn, publicName } from '../src/services/store/backend.ts';
import { backUpStore } from '../src/services/store/copy/back-up.ts';
import {
  configuredPassphrase,
  configuredStore,
  EX_CONFIG,
  EX_USAGE,
  printProgress,
  runScript,
} from './store-script.ts';

const USAGE = 'npm run backup -- FILE';

const HELP = `Copies everything in the store at STORE_URL into one new file. The bot can keep running.

Usage: ${USAGE}

  BACKUP_PASSPHRASE  encrypts the file for the program \`age\` (or BACKUP_PASSPHRASE_FILE, which names a file that holds it)
  --help             shows this help`;

async function backUp(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const [file] = positionals;
  if (file === undefined || positionals.length !== 1) {
    console.error(`Usage: ${USAGE}. Specify one new file.`);
    return EX_USAGE;
  }
  const address = configuredStore();
  const secret = configuredPassphrase();
  if (!address || !secret) return EX_CONFIG;
  const { passphrase } = secret;
  const secrets = [...passwordsIn(address.url), passphrase ?? ''];
  const log = createLogger({ level: 'warn', secrets, isPretty: true, write: (line) => process.stderr.write(line) });
  console.error(`Backing up the store ${publicName(address)} …`);
  const { rows, bytes, digest } = await backUpStore(address, file, {
    log,
    clock: systemClock,
    by: packageFile.version,
    passphrase,
    onProgress: printProgress,
  });
  const encryption = passphrase === undefined ? 'not encrypted: set BACKUP_PASSPHRASE to encrypt it' : 'encrypted';
  console.log(`Backup ${file}: ${rows} rows, ${bytes} bytes, ${encryption}.`);
  console.log(`SHA-256 ${digest}`);
  return 0;
}

await runScript(USAGE, backUp);
