import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import packageFile from '../../package.json' with { type: 'json' };
import { EX_USAGE, runScript, Stop, type Values } from '../../scripts/usage.ts';
import { type Coverage, filesReaching, measureCoverage } from './coverage.ts';
import { judgeAlone, type Trial } from './judge.ts';
import { Lane } from './lane.ts';
import { mutantsOf, sampleOf } from './mutants.ts';
import { printReport, resultOf } from './report.ts';
import { sources } from './sources.ts';
import { judgeTogether } from './together.ts';

const USAGE =
  'npm run mutants -- [--tests default|all|quick] [--only <text>] [--sample N] [--seed N] [--json <file>] [--coverage <file>]';
const does =
  'Changes the code in small ways and counts how many of these mutants the tests notice. Takes up to an hour.';
/** Tests wait for half of their time, so four processes can share two cores. */
const LANE_COUNT = 4;

const SEED = 'which mutants (default: 1): the same seed chooses the same ones from the same text';
const COVERAGE = 'keeps what each test file reaches in this file, or reads it from there if it exists';
const TESTS = 'the tests of npm test (default), npm run test:all or npm run test:quick';
const options = {
  tests: { type: 'string', default: 'default', help: TESTS },
  only: { type: 'string', default: '', help: 'only source files whose path contains this text' },
  sample: { type: 'string', default: '15', help: 'mutants per source file (default: 15)' },
  seed: { type: 'string', default: '1', help: SEED },
  json: { type: 'string', help: 'writes the result to this file, too' },
  coverage: { type: 'string', help: COVERAGE },
} as const;

/** How a script of package.json runs Vitest: `npm test` for `default`, `npm run test:<name>` for another name. */
function commandOf(tests: string): string | undefined {
  const { scripts }: { scripts: Record<string, string> } = packageFile;
  return /vitest run[^&|;]*/.exec(scripts[tests === 'default' ? 'test' : `test:${tests}`] ?? '')?.[0].trim();
}

async function run(values: Values<typeof options>): Promise<number> {
  const { tests, only, json } = values;
  const [sample, seed] = [Number(values.sample), Number(values.seed)];
  const command = commandOf(tests);
  if (command === undefined || !(sample > 0) || !Number.isSafeInteger(sample) || !Number.isSafeInteger(seed))
    throw new Stop(EX_USAGE, `A value is wrong. Usage: ${USAGE}`);
  const { files, failing } = await coverageFrom(values.coverage, command);
  for (const file of failing) console.log(`${file} fails without a mutant, so it is left out.`);
  const judges = files.filter(({ path }) => !failing.includes(path));
  const trials = sources
    .filter((path) => path.includes(only))
    .flatMap((path): Trial[] => {
      const text = readFileSync(path, 'utf8');
      return sampleOf(mutantsOf(path, text), seed, sample).map((mutant) => {
        const covering = filesReaching(mutant, judges);
        return { mutant, covering, remaining: covering };
      });
    });
  await judgeAll(command, trials);
  printReport(trials);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ tests, seed, ...resultOf(trials) }, null, 2)}\n`);
  return 0;
}

async function judgeAll(command: string, trials: readonly Trial[]): Promise<void> {
  const lanes = Array.from({ length: Math.min(LANE_COUNT, trials.length) }, () => new Lane(command));
  const stop = (): void => {
    for (const lane of lanes) lane.stop();
  };
  const end = (): never => {
    stop();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
  const queue = trials.entries();
  try {
    await Promise.all(
      lanes.map(async (lane) => {
        for (const [index, trial] of queue) {
          await judgeAlone(lane, trial);
          const { mutant, verdict = 'not killed yet' } = trial;
          console.log(`${index + 1}/${trials.length} ${mutant.path}:${mutant.line}: ${verdict}`);
        }
      }),
    );
    const undecided = trials.filter(({ verdict }) => verdict === undefined);
    console.log(`Running the other test files with ${undecided.length} mutants at once.`);
    await judgeTogether(lanes, undecided);
  } finally {
    stop();
  }
  for (const trial of trials) trial.verdict ??= trial.covering.length === 0 ? 'not covered' : 'survived';
}

async function coverageFrom(path: string | undefined, command: string): Promise<Coverage> {
  if (path !== undefined && existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  const coverage = await measureCoverage(command);
  if (path !== undefined) writeFileSync(path, JSON.stringify(coverage));
  return coverage;
}

await runScript({ usage: USAGE, does, options }, run);
