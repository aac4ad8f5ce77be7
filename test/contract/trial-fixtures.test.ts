import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { type AdoptedStep, adopt, FIXTURES } from '../../scripts/trial/adopt.ts';
import { readExpected } from '../../scripts/trial/expected.ts';
import type { Shape } from '../../scripts/trial/report.ts';
import { readEvents } from '../../src/services/gateway/endpoints/responses.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import { readSnapshot, readSubmission } from '../../src/services/gateway/read/reader.ts';
import { AnswerReader } from '../../src/services/gateway/responses/reader.ts';

type Adopted = AdoptedStep['responses'][number];

/** A value with the shape of a response. Only words of the protocol are real. */
function sampleOf(
  fields: Readonly<Record<string, Shape['fields'][string] | undefined>>,
  words: Shape['words'],
): unknown {
  const names = Object.keys(fields).map((path) => ({ path, parts: /^(.*)\.([^.[\]]+)$/.exec(path) }));
  const valueAt = (path: string): unknown => {
    const type = fields[path]?.types.find((one) => one !== 'null') ?? 'null';
    if (type === 'list') return fields[`${path}[]`] ? [valueAt(`${path}[]`)] : [];
    if (type === 'object')
      return Object.fromEntries(
        names.flatMap(({ path: own, parts }) => (parts?.[1] === path ? [[parts[2], valueAt(own)]] : [])),
      );
    const word = words[path]?.findLast((one) => !one.startsWith('('));
    if (type === 'string') return word ?? 'https://files.example/text';
    return (
      { number: Number(word ?? 1), boolean: true, 'time in seconds': 1.79e9, 'time in milliseconds': 1.79e12 }[type] ??
      null
    );
  };
  return valueAt('$');
}

const FAMILIES = {
  '/imgx/': 'imgx',
  '/v1/images/': 'image',
  '/v1/video': 'video',
  '/videoa/': 'video',
  '/music/': 'music',
} as const;
const context = { base: new URL('https://gateway.example'), imgxPath: '/imgx', now: 0, requestUrls: [] };
const warnings = { onUnknownStatus: () => undefined, onFoundBySearch: () => undefined };
const parseError = (): GatewayError => new GatewayError('refused', { kind: 'invalid' });

/** Reads a response as the client does. A response that cannot be understood is a `GatewayError`, and nothing else is thrown. */
async function read({ route, fields, words, events }: Adopted): Promise<void> {
  const [method, path = ''] = route.split(' ');
  const family = Object.entries(FAMILIES).find(([prefix]) => path.startsWith(prefix))?.[1];
  const body = sampleOf(fields, words);
  try {
    if (family && method === 'POST') readSubmission(family, body as never, new Set());
    else if (family) readSnapshot(family, body, context, warnings);
    if (path !== '/v1/responses') return;
    const text = events.map(
      (one) => `event: ${one.type}\ndata: ${JSON.stringify(sampleOf(one.fields, one.words))}\n\n`,
    );
    await Array.fromAsync(readEvents(streamOf(text), new AnswerReader(parseError)));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}

async function* streamOf(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

const stepsIn = (file: string): AdoptedStep[] => JSON.parse(readFileSync(file, 'utf8'));
const folder = fileURLToPath(FIXTURES);
const adopted = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
const { gateway } = readExpected();

it('The client reads all responses that reports of trials contain', async () => {
  const steps = [...gateway.spec, ...gateway.stock, ...adopted.flatMap(stepsIn)];
  for (const { responses } of steps) for (const response of responses) await read(response);
  expect(steps.length).toBeGreaterThan(50);
});

it('A report becomes a fixture with the steps that differed, always the same one', () => {
  const reportFolder = mkdtempSync(join(tmpdir(), 'atelier-adopt-'));
  onTestFinished(() => rmSync(reportFolder, { recursive: true }));
  const path = join(reportFolder, 'trial-report.json');
  const differences = [{ step: 'Image job', kind: 'unknown field', where: '', what: '' }];
  const steps = gateway.spec.map((step) => ({ ms: 0, ...step }));
  const facts = { format: 1, version: '1.0.0', comparedWith: 'spec', spentAtMost: '0' };
  writeFileSync(path, JSON.stringify({ ...facts, differences, steps }));
  const file = /written to (\S+\.json)/.exec(adopt(path))?.[1] ?? '';
  onTestFinished(() => rmSync(file, { force: true }));
  expect(stepsIn(file)).toEqual(
    gateway.spec.filter(({ name }) => name === 'Image job').map(({ name, responses }) => ({ name, responses })),
  );
  expect(adopt(path)).toContain(file);
});

it('A file that is no report is refused', () => {
  expect(() => adopt('package.json')).toThrow('package.json is not a report of npm run trial.');
});
