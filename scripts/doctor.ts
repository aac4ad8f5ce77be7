import { parseArgs } from 'node:util';
import { kindSpecs } from '../src/commands/index.ts';
import * as shape from '../src/config-shapes.ts';
import { systemClock } from '../src/lib/clock.ts';
import { openLog } from '../src/lib/log.ts';
import { readSecret } from '../src/lib/secret.ts';
import { terminalSafe } from '../src/lib/text.ts';
import {
  type Examination,
  examine,
  type FindingKind,
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
};

const USAGE = 'npm run doctor -- [--dry-run]';

/** What each finding is called in the output, before its count. */
const FOUND: Readonly<Record<FindingKind, string>> = {
  damaged: 'damaged database file (restore it from a backup)',
  'readable-by-others': 'file readable by other users of this machine',
  unmarked: 'missing schema version',
  unreadable: 'unreadable rows (set aside, not deleted)',
  'in-both-places': 'tasks stored both as live and as finished',
  misplaced: 'tasks stored in the wrong namespace',
  'expired-token': 'tasks with an expired interaction token',
  past: 'tasks and rows past their retention time',
  'line-missing': 'task summaries missing from the lists of members and servers',
  'line-dangling': 'task summaries without a task',
  'line-outdated': 'task summaries older than their task',
  'row-astray': 'list rows that belong to no list',
  'order-astray': 'stored requests that are no longer needed',
  'entry-missing': 'tasks missing from the ledger',
  'entry-different': 'ledger entries that contradict their task',
};

async function doctor(): Promise<number> {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  const address = configuredStore();
  if (!address) return EX_CONFIG;
  const repair = !values['dry-run'];
  // The output below covers the same for a person.
  const log = openLog({ level: 'silent', secrets: [], readable: true, write: console.error });
  const examination = await examine(address, { repair, clock: systemClock, log, specs: kindSpecs });
  tell(examination, repair);
  const isLeft = examination.findings.some(({ kind }) => !repair || kind === 'damaged');
  return isLeft ? 1 : 0;
}

function configuredStore(): StoreAddress | undefined {
  const { variable, value, problem } = readSecret(process.env, 'STORE_URL');
  const address = problem === undefined ? shape.store.safeParse(value).data : undefined;
  if (address === undefined)
    console.error(
      `Invalid settings (see .env.example):\n  ${variable} ${problem ?? `should be ${shape.store.description}`}`,
    );
  return address;
}

function tell({ file, holds, findings }: Examination, repair: boolean): void {
  console.log(`Store ${file}:`);
  for (const { kind, count } of findings) {
    const isRepaired = repair && kind !== 'damaged';
    console.log(`  ${FOUND[kind]}: ${count}, ${isRepaired ? 'repaired' : 'not repaired'}`);
  }
  if (findings.length === 0) console.log(holds ? '  no problems found' : '  empty: nothing is stored yet');
  if (holds) console.log(`Tasks: ${holds.tasks}. Rows set aside so far: ${holds.setAside}.`);
}

function failed(error: unknown): number {
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`${error.message.split('. ')[0]}. Usage: ${USAGE}`);
    return EX_USAGE;
  }
  if (error instanceof StoreError) {
    console.error(terminalSafe(error.message));
    return EXIT_CODES[error.kind] ?? 1;
  }
  throw error;
}

process.exitCode = await doctor().catch(failed);
