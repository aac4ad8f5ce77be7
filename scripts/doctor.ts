import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { kindSpecs } from '../src/commands/index.ts';
import * as shape from '../src/config/shapes.ts';
import { systemClock } from '../src/lib/clock.ts';
import { openLog } from '../src/lib/log.ts';
import { onTerminal } from '../src/lib/text.ts';
import {
  type Examination,
  examine,
  type FindingKind,
  StoreError,
  type StoreErrorKind,
} from '../src/services/store/index.ts';
import { kindNames } from '../src/services/tasks/task.ts';

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

/** What was found, in words before a number. */
const FOUND: Readonly<Record<FindingKind, string>> = {
  damaged: 'damage in the file itself, which only a copy from your backups can mend',
  'readable-by-others': 'file that others on this machine could read',
  unmarked: 'missing note of the version that wrote it',
  unreadable: 'rows that cannot be read (set aside, never thrown away)',
  'in-both-places': 'tasks kept both as live and as finished',
  misplaced: 'tasks kept in the wrong place',
  'expired-token': "tasks with an interaction's token that is of no more use",
  past: 'tasks kept for longer than they should be',
  'line-missing': 'lines missing in the lists of members and servers',
  'line-dangling': 'lines in those lists without a task',
  'line-outdated': 'lines in those lists older than their task',
  'row-astray': 'rows of those lists that belong nowhere',
  'order-astray': 'orders as they were sent, of which nobody needs to know any more',
  'entry-missing': 'tasks that the ledger knows nothing of',
  'entry-different': 'entries of the ledger that say something else than their task',
};

async function doctor(): Promise<number> {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  const address = setting('STORE_URL', shape.store);
  const prices = setting('PRICES', shape.prices(kindNames(kindSpecs)));
  if (!address || !prices) return EX_CONFIG;
  const repair = !values['dry-run'];
  // The lines below say the same for a person.
  const log = openLog({ level: 'silent', secrets: [], readable: true, write: console.error });
  const examination = await examine(address, { repair, clock: systemClock, log, prices, specs: kindSpecs });
  tell(examination, repair);
  const isLeft = examination.findings.some(({ kind }) => !repair || kind === 'damaged');
  return isLeft ? 1 : 0;
}

function setting<T>(name: string, known: z.ZodType<T>): T | undefined {
  const { data } = known.safeParse(process.env[name]?.trim() || undefined);
  if (data === undefined)
    console.error(`The settings are not right (.env.example explains each):\n  ${name} should be ${known.description}`);
  return data;
}

function tell({ file, holds, findings }: Examination, repair: boolean): void {
  console.log(`The store ${file}:`);
  for (const { kind, count } of findings) {
    const isRepaired = repair && kind !== 'damaged';
    console.log(`  ${FOUND[kind]}: ${count}, ${isRepaired ? 'repaired' : 'not repaired'}`);
  }
  if (findings.length === 0) console.log(holds ? '  all is well' : '  there is nothing in it yet');
  if (holds) console.log(`Tasks: ${holds.tasks}. Rows set aside so far: ${holds.setAside}.`);
}

function failed(error: unknown): number {
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`${error.message.split('. ')[0]}. Use: ${USAGE}`);
    return EX_USAGE;
  }
  if (error instanceof StoreError) {
    console.error(onTerminal(error.message));
    return EXIT_CODES[error.kind] ?? 1;
  }
  throw error;
}

process.exitCode = await doctor().catch(failed);
