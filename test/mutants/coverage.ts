import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, parseCLI } from 'vitest/node';
import type { Mutant } from './mutants.ts';

/** What one test file took and reached. */
export interface FileRecord {
  readonly path: string;
  readonly ms: number;
  /** Of its worker process alone, without the processes that it started. */
  readonly cpuMs: number;
  /** How often V8 ran each part of the measured files. Parts of parts are listed, too. */
  readonly reached: Readonly<Record<string, readonly Profiler.CoverageRange[]>>;
}

export interface Coverage {
  readonly files: readonly FileRecord[];
  /** Test files that fail without any mutation. They cannot judge one. */
  readonly failing: readonly string[];
}

const SETUP = fileURLToPath(new URL('./each-file.ts', import.meta.url));

/** Runs the tests once and records which of them reach what. */
export async function measureCoverage(command: string): Promise<Coverage> {
  const { filter, options } = parseCLI(command);
  const root = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'atelier-coverage-'));
  try {
    // What is kept from an earlier compilation is not counted in full.
    Object.assign(process.env, { NODE_DISABLE_COMPILE_CACHE: '1', COVERAGE_FOLDER: folder });
    const vitest = await createVitest({ ...options, watch: false }, { test: { setupFiles: [SETUP] } });
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
export function filesReaching({ path, start, isInFunction }: Mutant, records: readonly FileRecord[]): FileRecord[] {
  const rangesOf = ({ reached }: FileRecord) => reached[path] ?? [];
  const reachedCount = (record: FileRecord): number => rangesOf(record).filter(({ count }) => count > 0).length;
  const isReaching = (record: FileRecord): boolean => {
    // What is outside of functions runs only once in a process, for whichever test file is the first.
    if (!isInFunction) return reachedCount(record) > 0;
    const around = rangesOf(record).filter(({ startOffset, endOffset }) => startOffset <= start && start < endOffset);
    // The innermost one begins last.
    return (around.toSorted((one, other) => other.startOffset - one.startOffset)[0]?.count ?? 0) > 0;
  };
  const ownTest = path.replace(/^src(.*)\.ts$/, 'test$1.test.ts');
  const costOf = (record: FileRecord): number => (record.path === ownTest ? 0 : record.cpuMs / reachedCount(record));
  return records.filter(isReaching).toSorted((one, other) => costOf(one) - costOf(other));
}
