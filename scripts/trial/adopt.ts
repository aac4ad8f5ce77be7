import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { Stop } from '../setup/terminal.ts';

const EX_DATAERR = 65;
export const FIXTURES = new URL('../../test/fixtures/trial/', import.meta.url);

const field = z.strictObject({
  types: z.array(z.string()),
  length: z.tuple([z.number(), z.number()]).optional(),
  optional: z.literal(true).optional(),
});
const content = { fields: z.record(z.string(), field), words: z.record(z.string(), z.array(z.string())) };
const responses = z.strictObject({
  route: z.string(),
  outcome: z.string(),
  headers: z.array(z.string()),
  ...content,
  events: z.array(z.strictObject({ type: z.string(), ...content })),
});

/** The parts of a report from which fixtures are made. */
const report = z.object({
  format: z.literal(1),
  differences: z.array(z.object({ step: z.string() })),
  steps: z.array(z.object({ name: z.string(), responses: z.array(responses) })),
});

export type AdoptedStep = z.output<typeof report>['steps'][number];

/** Stores the responses of all steps that differed as a fixture, which a test reads. Returns what was done. */
export function adopt(path: string): string {
  const parsed = report.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success)
    throw new Stop(EX_DATAERR, `${path} is not a report of npm run trial. Name its trial-report.json.`);
  const { differences, steps } = parsed.data;
  const differing = steps.filter(({ name }) => differences.some(({ step }) => step === name));
  const text = JSON.stringify(differing);
  // The same report makes the same fixture.
  const file = new URL(`${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`, FIXTURES);
  mkdirSync(FIXTURES, { recursive: true });
  writeFileSync(file, `${text}\n`);
  return `${differing.length} steps were written to ${file.pathname}.`;
}
