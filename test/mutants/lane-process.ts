import { join, relative } from 'node:path';
import type { Plugin } from 'vitest/config';
import { BaseSequencer, createVitest, parseCLI, type TestModule, type TestSpecification } from 'vitest/node';
import type { FileRecord } from './coverage.ts';
import { type Mutant, mutate } from './mutants.ts';
import { sources } from './sources.ts';

/** Test files to run with some mutants, in this order, until the first failure. */
export interface Job {
  readonly mutants: readonly Mutant[];
  readonly files: readonly FileRecord[];
}

export interface Failure {
  /** Undefined for an error outside of a test file. */
  readonly file: string | undefined;
  /** Undefined for an error outside of a test. */
  readonly test?: string | undefined;
  readonly ms: number;
  readonly isTimeout: boolean;
  /** Whether this process has to be stopped because the file still runs. */
  readonly isEndless?: boolean;
}

const SPARE_MS = 60_000;
const MAX_SLOWDOWN = 3;

class AsGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

const pathOfSource = (id: string): string | undefined => sources.find((path) => path === relative(process.cwd(), id));

/** Loads a changed text of the measured files, while the files themselves stay as they are. */
const changedSources: Plugin = {
  name: 'changed-sources',
  enforce: 'pre',
  // Vitest keeps what it loads in files, by the text before the change.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (pathOfSource(id) === undefined ? undefined : false)),
  transform(text, id) {
    const path = pathOfSource(id);
    const mutants = current.filter((mutant) => mutant.path === path);
    return path === undefined ? undefined : { code: mutate(text, ...mutants), map: null };
  },
};

const { filter, options } = parseCLI(process.argv[2] ?? '');
let current: readonly Mutant[] = [];
let waiting: FileRecord[] = [];
let timeLimit: NodeJS.Timeout | undefined;
const failedFiles: TestModule[] = [];
const vitest = await createVitest(
  {
    ...options,
    watch: false,
    bail: 1,
    // Several would not keep the order.
    maxWorkers: 1,
    reporters: [{ onTestModuleEnd: endFile }],
  },
  {
    plugins: [changedSources],
    // A condition that a mutant keeps from being met is awaited for less time than in other runs.
    test: {
      // Node alone would load the files as they are.
      experimental: { viteModuleRunner: true },
      sequence: { sequencer: AsGiven },
      testTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
    },
  },
);
const specifications = await vitest.globTestSpecifications(filter);

async function run({ mutants, files }: Job): Promise<Failure | undefined> {
  for (const { path } of [...current, ...mutants]) vitest.invalidateFile(join(process.cwd(), path));
  current = mutants;
  failedFiles.length = 0;
  waiting = [...files];
  expectEnd();
  const { unhandledErrors } = await vitest.runTestSpecifications(
    files.flatMap(({ path }) => specifications.filter(({ moduleId }) => relative(process.cwd(), moduleId) === path)),
  );
  clearTimeout(timeLimit);
  const [failedFile] = failedFiles;
  if (!failedFile)
    return unhandledErrors.length === 0 ? undefined : { file: pathOf(unhandledErrors[0]), ms: 0, isTimeout: false };
  const [test] = failedFile.children.allTests('failed');
  const errors = [...failedFile.errors(), ...(test?.result().errors ?? [])];
  return {
    file: failedFile.relativeModuleId,
    test: test?.fullName,
    ms: test?.diagnostic()?.duration ?? 0,
    isTimeout: errors.some(({ name }) => name === 'TestTimeoutError' || name === 'HookTimeoutError'),
  };
}

function endFile(file: TestModule): void {
  if (!file.ok()) failedFiles.push(file);
  waiting.shift();
  expectEnd();
}

/** A file that takes several times as long as usual counts as endless. */
function expectEnd(): void {
  clearTimeout(timeLimit);
  const [file] = waiting;
  if (!file) return;
  const failure: Failure = { file: file.path, ms: 0, isTimeout: true, isEndless: true };
  timeLimit = setTimeout(() => process.send?.({ failure }), SPARE_MS + MAX_SLOWDOWN * file.ms);
}

/** The test file that was running when an error was not handled. */
function pathOf(error: unknown): string | undefined {
  const path = error instanceof Object && 'VITEST_TEST_PATH' in error ? String(error.VITEST_TEST_PATH) : undefined;
  return path && relative(process.cwd(), path);
}

process.on('disconnect', () => process.exit());
process.on('message', (job: Job) => void run(job).then((failure) => process.send?.({ failure })));
process.send?.({});
