import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EX_USAGE, reportWrongArguments } from '../../scripts/usage.ts';
import { CORPUS_FOLDER, readCorpus } from './corpus.ts';
import { Coverage } from './coverage.ts';
import { fuzz } from './fuzz.ts';
import type { Target } from './target.ts';
import { DEFAULT_MAX_BYTES } from './target.ts';
import { openWatchdog } from './watchdog.ts';

const USAGE = 'npm run fuzz -- <target> [--seconds N] [--seed S]';
const DEFAULT_SECONDS = 180;
const MAX_PREVIEW_LENGTH = 400;
const FINDINGS_FOLDER = fileURLToPath(new URL('./findings/', import.meta.url));

const { values, positionals } = readArguments();
const [name = ''] = positionals;

// Coverage must start before any code under test is compiled.
const coverage = new Coverage((url) => url.includes('/src/') && !url.includes('/node_modules/'));
coverage.start();
const { targets } = await import('./targets/index.ts');

const chosenTargets = targets.filter((target) => name === 'all' || target.name === name);
const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const collectGarbage = globalThis.gc;

if (values.help || chosenTargets.length === 0 || !(seconds > 0) || !Number.isSafeInteger(seed)) {
  const names = ['all', ...targets.map((target) => target.name)];
  const help = `Usage: ${USAGE}\n\nTargets: ${names.join('\n         ')}`;
  if (values.help) console.log(`Feeds hostile input to one parser, or to all.\n\n${help}`);
  else console.error(`${problem()}\n${help}`);
  process.exitCode = values.help ? 0 : EX_USAGE;
} else if (!collectGarbage) {
  throw new Error('Run this through npm: it needs --expose-gc.');
} else {
  mkdirSync(FINDINGS_FOLDER, { recursive: true });
  for (const target of chosenTargets) await fuzzOne(target, () => void collectGarbage());
}
// Threads of codecs and libraries would keep the process alive.
process.exit();

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { seconds: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
    });
  } catch (error) {
    process.exit(reportWrongArguments(error, USAGE));
  }
}

function problem(): string {
  if (name === '') return 'Specify a target.';
  if (chosenTargets.length === 0) return `There is no target named ${name}.`;
  return seconds > 0 ? '--seed must be a whole number.' : '--seconds must be a number above 0.';
}

async function fuzzOne(target: Target, collect: () => void): Promise<void> {
  const watchdog = openWatchdog(target.maxBytes ?? DEFAULT_MAX_BYTES, join(FINDINGS_FOLDER, `${target.name}-endless`));
  const startedAt = performance.now();
  const corpus = readCorpus(target.name).map(({ bytes }) => bytes);
  const options = { target, coverage, corpus, seconds, seed, watchdog, collectGarbage: collect };
  const { executions, newBlocks, kept, finding } = await fuzz(options);
  await watchdog.end();
  const elapsedSeconds = Math.round((performance.now() - startedAt) / 1000);
  const figures = `${executions} executions, ${newBlocks} new blocks, ${kept} inputs kept`;
  console.log(
    `${target.name}: ${figures} in ${elapsedSeconds} s with seed ${seed}: ${finding ? finding.kind : 'nothing found'}`,
  );
  if (!finding) return;
  const hash = createHash('sha256').update(finding.input).digest('hex').slice(0, 8);
  const path = join(FINDINGS_FOLDER, `${target.name}-${hash}`);
  writeFileSync(path, finding.input);
  console.log(`${finding.detail}\n${preview(target, finding.input)}\nThe input is in ${path}.`);
  console.log(`Once the problem is fixed, keep the input as ${join(CORPUS_FOLDER, target.name, '<what it is>')}.`);
  process.exitCode = 1;
}

function preview({ inputType }: Target, input: Buffer): string {
  const printable = inputType === 'text' ? JSON.stringify(input.toString()) : input.toString('hex');
  return `${input.length} bytes: ${printable.slice(0, MAX_PREVIEW_LENGTH)}`;
}
