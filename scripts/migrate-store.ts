import { parseArgs } from 'node:util';
import * as shape from '../src/config/shapes.ts';
import { systemClock } from '../src/lib/clock.ts';
import { openLog } from '../src/lib/log.ts';
import {
  countRows,
  isSame,
  type Moved,
  moveStore,
  openBackend,
  openExisting,
  passwordsIn,
  publicName,
  type StoreAddress,
  StoreError,
  type StoreErrorKind,
} from '../src/services/store/index.ts';

/** sysexits.h */
const EX_USAGE = 64;
const EX_TEMPFAIL = 75;
const EX_CONFIG = 78;

const EXIT_CODES: Partial<Record<StoreErrorKind, number>> = {
  'in-use': EX_TEMPFAIL,
  locked: EX_TEMPFAIL,
  unreachable: EX_TEMPFAIL,
  lost: EX_TEMPFAIL,
  unsupported: EX_CONFIG,
  denied: EX_CONFIG,
  newer: EX_CONFIG,
};

const USAGE =
  'npm run migrate-store -- FROM TO [--dry-run], both written as in STORE_URL, or without them and with MIGRATE_FROM and MIGRATE_TO set';

/** Arguments stand in the list of processes for everybody on the machine. */
const SHOWN_PASSWORD =
  'A password in an argument can be read by everybody on this machine while this runs. Put the two addresses into MIGRATE_FROM and MIGRATE_TO instead, in the environment or in .env.';

const HELP = `Moves everything that the bot keeps from one store to another, and compares both sides at the end. The bot must not be running.

Use: ${USAGE}.

  FROM, TO      ${shape.store.description}
  MIGRATE_FROM  the same for addresses with a password: nobody can read it in the list of processes
  MIGRATE_TO
  --dry-run     counts what is there and moves nothing
  --help        shows this`;

async function migrate(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const given = positionals.length > 0 ? positionals : [process.env.MIGRATE_FROM, process.env.MIGRATE_TO];
  const [from, to] = [addressOf(given[0]), addressOf(given[1])];
  if (!from || !to || given.length !== 2) {
    console.error(`Use: ${USAGE}. Each is ${shape.store.description}.`);
    return EX_USAGE;
  }
  if (positionals.length > 0 && [from, to].some(({ url }) => passwordsIn(url).length > 0))
    console.error(SHOWN_PASSWORD);
  const isDry = values['dry-run'];
  const moved = await between(from, to, isDry);
  tell(moved, isDry);
  if (isDry) return 0;
  const isWhole = moved.every(isSame);
  console.log(
    isWhole
      ? 'All is there. Put the new address into STORE_URL; the old store stays as it is.'
      : 'The two differ: the new store was changed since it was filled, or the old one was.',
  );
  return isWhole ? 0 : 1;
}

/** Both are ours alone until it is done. */
async function between(from: StoreAddress, to: StoreAddress, isDry: boolean): Promise<Moved[]> {
  const secrets = [from, to].flatMap(({ url }) => passwordsIn(url));
  const log = openLog({ level: 'warn', secrets, readable: true, write: (line) => process.stderr.write(line) });
  const parts = { log, clock: systemClock };
  const source = await openExisting(from, parts);
  if (!source) throw new StoreError('unsupported', `There is no store at ${publicName(from)}, so nothing to move.`);
  try {
    if (isDry) return await countRows(source);
    const target = await openBackend(to, parts);
    try {
      return await moveStore(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** A store in memory is nobody's but the bot's that runs on it. */
function addressOf(text: string | undefined): StoreAddress | undefined {
  const { data } = shape.store.safeParse(text ?? '');
  return data?.url === 'sqlite://:memory:' ? undefined : data;
}

function tell(moved: readonly Moved[], isDry: boolean): void {
  const heads = isDry ? ['', 'rows', 'checksum'] : ['', 'rows', 'there', 'checksum', 'there', ''];
  const rows = moved.map((one) => {
    const { namespace, from, to } = one;
    if (isDry) return [namespace, `${from.count}`, from.checksum];
    return [namespace, `${from.count}`, `${to.count}`, from.checksum, to.checksum, isSame(one) ? 'same' : 'DIFFERENT'];
  });
  const widths = heads.map((_, column) => Math.max(...[heads, ...rows].map((row) => row[column]?.length ?? 0)));
  for (const row of [heads, ...rows])
    console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

function failed(error: unknown): number {
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`${error.message.split('. ')[0]}. Use: ${USAGE}`);
    return EX_USAGE;
  }
  if (error instanceof StoreError) {
    console.error(error.message);
    return EXIT_CODES[error.kind] ?? 1;
  }
  throw error;
}

process.exitCode = await migrate().catch(failed);
