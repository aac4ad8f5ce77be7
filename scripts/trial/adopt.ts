import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { EX_DATAERR, Stop } from '../usage.ts';
import { type StepResult, trialReport } from './report.ts';

export const FIXTURES = new URL('../../test/fixtures/trial/', import.meta.url);

export type AdoptedStep = Pick<StepResult, 'name' | 'responses'>;

/** Stores the responses of all steps that differed as a fixture, which a test reads. Returns what was done. */
export function adopt(path: string): string {
  const { data } = trialReport.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!data) throw new Stop(EX_DATAERR, `${path} is not a report of npm run trial. Name its trial-report.json.`);
  const differing = data.steps
    .filter(({ name }) => data.differences.some(({ step }) => step === name))
    .map(({ name, responses }): AdoptedStep => ({ name, responses }));
  const text = JSON.stringify(differing);
  // The same report makes the same fixture.
  const file = new URL(`${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`, FIXTURES);
  mkdirSync(FIXTURES, { recursive: true });
  writeFileSync(file, `${text}\n`);
  return `${differing.length} steps were written to ${file.pathname}.`;
}
