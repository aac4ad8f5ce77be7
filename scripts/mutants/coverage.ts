import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, parseCLI } from 'vitest/node';
import { changedSources, experimental } from './changed-sources.ts';
import type { Mutant } from './mutants.ts';
import { addProbes, lineOfEntry } from './probes.ts';

/** What one test file took and reached. */
export interface FileRecord {
  readonly path: string;
  readonly ms: number;
  /** Of its worker process alone, without the processes that it started. */
  readonly cpuMs: number;
  /** `path:line` of the measured files. */
  readonly reached: readonly string[];
}

export interface Coverage {
  readonly files: readonly FileRecord[];
  /** Test files that fail without any mutation. They cannot judge one. */
  readonly failing: readonly string[];
}

const SETUP = fileURLToPath(new URL('./each-file.ts', import.meta.url));

/** Runs the tests once and records which of them reach which lines. */
export async function measureCoverage(command: string): Promise<Coverage> {
  const { filter, options } = parseCLI(command);
  const root = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'atelier-coverage-'));
  try {
    const test = { experimental, setupFiles: [SETUP], env: { REACHED_LINES_FOLDER: folder } };
    const vitest = await createVitest({ ...options, watch: false }, { plugins: [changedSources(addProbes)], test });
    await vitest.start(filter);
    const failing = vitest.state
      .getTestModules()
      .filter((file) => !file.ok())
      .map((file) => file.relativeModuleId);
    await vitest.close();
    const files = globSync(join(folder, '*.json')).map((path) => JSON.parse(readFileSync(path, 'utf8')));
    return { files: files.map((file) => ({ ...file, path: relative(root, file.path) })), failing };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The test files that reach a mutant: first the test of its file, then those that reach most of it in the least time. */
export function filesReaching(mutant: Mutant, text: string, records: readonly FileRecord[]): FileRecord[] {
  const { path } = mutant;
  const entry = lineOfEntry(text, mutant);
  const reachedLines = ({ reached }: FileRecord): number =>
    reached.filter((place) => place.startsWith(`${path}:`)).length;
  // What is outside of functions runs only once in a process, for whichever test file is the first.
  const isReaching = (record: FileRecord): boolean =>
    entry === undefined ? reachedLines(record) > 0 : record.reached.includes(`${path}:${entry}`);
  const ownTest = path.replace(/^src(.*)\.ts$/, 'test$1.test.ts');
  const costOf = (record: FileRecord): number => (record.path === ownTest ? 0 : record.cpuMs / reachedLines(record));
  return records.filter(isReaching).toSorted((one, other) => costOf(one) - costOf(other));
}
