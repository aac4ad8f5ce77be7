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
} from '../src/services/tasks/store/index.ts';

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

const USAGE = 'npm run migrate-store -- FROM TO [--dry-run], both written as in STORE_URL';

async function migrate(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [from, to] = [addressOf(positionals[0]), addressOf(positionals[1])];
  if (!from || !to || positionals.length !== 2) {
    console.error(`Use: ${USAGE}. Each is ${shape.store.description}.`);
    return EX_USAGE;
  }
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
