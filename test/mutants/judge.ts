import type { FileRecord } from './coverage.ts';
import type { Lane } from './lane.ts';
import type { Failure } from './lane-process.ts';
import type { Mutant } from './mutants.ts';

export type Verdict = 'killed' | 'survived' | 'timed out' | 'not covered';

/** A mutant, and what has been found out about it so far. */
export interface Trial {
  readonly mutant: Mutant;
  readonly covering: readonly FileRecord[];
  /** Those of the covering files that have not judged it. */
  remaining: readonly FileRecord[];
  verdict?: Verdict;
  killedBy?: string;
}

/** Of processor time without a mutant. Most mutants are killed in less; the others are cheaper to judge together. */
const MAX_CPU_MS = 25_000;
/** A failure that took longer may be due to the load, so it has to repeat. */
const MAX_TRUSTED_MS = 5_000;

/** Runs the best test files with one mutant. */
export async function judgeAlone(lane: Lane, trial: Trial): Promise<void> {
  let files = withinTime(trial.covering);
  trial.remaining = trial.covering.slice(files.length);
  while (files.length > 0) {
    const failure = await lane.run([trial.mutant], files);
    if (!failure) return;
    const at = files.findIndex(({ path }) => path === failure.file);
    const isSure = at < 0 || failure.isTimeout || (failure.test !== undefined && failure.ms <= MAX_TRUSTED_MS);
    if (isSure || (await lane.run([trial.mutant], files.slice(at, at + 1)))) return condemn(trial, failure);
    files = files.slice(at + 1);
  }
}

export function condemn(trial: Trial, { file, test, isTimeout }: Failure): void {
  trial.verdict = isTimeout ? 'timed out' : 'killed';
  trial.killedBy = `${file ?? 'no single file'}: ${test ?? 'no single test'}`;
}

/** The first ones that fit into the time, but at least one. */
function withinTime(records: readonly FileRecord[]): readonly FileRecord[] {
  const fitting: FileRecord[] = [];
  let sum = 0;
  for (const record of records) {
    sum += record.cpuMs;
    if (sum > MAX_CPU_MS && fitting.length > 0) break;
    fitting.push(record);
  }
  return fitting;
}
