import { kindSpecs } from '../src/commands/index.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/log.ts';
import { lasting } from '../src/services/store/examination/checks.ts';
import { examine } from '../src/services/store/examination/examination.ts';
import { StoreError } from '../src/services/tasks/store-error.ts';
import { printExamination } from './findings.ts';
import { configuredStore, explainStoreError } from './store-script.ts';
import { EX_IOERR, runScript } from './usage.ts';

const usage = 'npm run doctor -- [--dry-run]';
const does = 'Checks the store at STORE_URL and repairs what it can. Stop the bot first.';
const help =
  'only reports; exits with 1 if it found anything, with 74 if the store is damaged, with 78 if there is none';
const options = { 'dry-run': { type: 'boolean', help } } as const;

await runScript({ usage, does, options, explain: explainStoreError }, async (values) => {
  const address = configuredStore();
  const shouldRepair = !values['dry-run'];
  // Silent, because the output below reports the same in a readable form.
  const log = createLogger({ level: 'silent', secrets: [], isPretty: true, write: console.error });
  const examination = await examine(address, { repair: shouldRepair, clock: systemClock, log, specs: kindSpecs });
  if (!examination.contents && examination.findings.length === 0)
    throw new StoreError('unsupported', `There is no Atelier store in ${examination.file}. Check STORE_URL.`);
  printExamination(examination, shouldRepair);
  if (examination.findings.some(({ kind }) => kind === 'damaged')) return EX_IOERR;
  const hasUnrepairedFindings = examination.findings.some(({ kind }) => !shouldRepair || lasting.has(kind));
  return hasUnrepairedFindings ? 1 : 0;
});
