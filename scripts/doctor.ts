import { parseArgs } from 'node:util';
import { kindSpecs } from '../src/commands/index.ts';
import { systemClock } from '../src/lib/clock.ts';
import { openLog } from '../src/lib/log.ts';
import { examine, lasting } from '../src/services/store/index.ts';
import { printExamination } from './findings.ts';
import { configuredStore, EX_CONFIG, runScript } from './store-script.ts';

const USAGE = 'npm run doctor -- [--dry-run]';

async function doctor(): Promise<number> {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  const address = configuredStore();
  if (!address) return EX_CONFIG;
  const repair = !values['dry-run'];
  // The output below reports the same in a readable form.
  const log = openLog({ level: 'silent', secrets: [], isReadable: true, write: console.error });
  const examination = await examine(address, { repair, clock: systemClock, log, specs: kindSpecs });
  printExamination(examination, repair);
  const hasUnrepaired = examination.findings.some(({ kind }) => !repair || lasting.has(kind));
  return hasUnrepaired ? 1 : 0;
}

await runScript(USAGE, doctor);
