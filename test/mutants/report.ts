import type { Trial, Verdict } from './judge.ts';

const VERDICTS: readonly Verdict[] = ['killed', 'survived', 'timed out', 'not covered'];

/** A table by file, and every mutant that was not killed. */
export function printReport(trials: readonly Trial[]): void {
  console.table(countsOf(trials));
  for (const verdict of VERDICTS.slice(1)) {
    const listed = trials.filter((trial) => trial.verdict === verdict);
    if (listed.length > 0) console.log(`\n${verdict}:`);
    for (const { mutant, covering } of listed)
      console.log(`  ${mutant.path}:${mutant.line} ${mutant.change} (${covering.length} test files)`);
  }
}

/** For comparisons: the counts by file, and each mutant with what was found out about it. */
export function resultOf(trials: readonly Trial[]) {
  const mutants = trials.map(({ mutant, covering, verdict, killedBy }) => {
    const { path, line, change } = mutant;
    return { path, line, change, verdict, killedBy, coveringFiles: covering.length };
  });
  return { counts: countsOf(trials), mutants };
}

function countsOf(trials: readonly Trial[]): Record<string, Record<string, number>> {
  const count = (counted: readonly Trial[]): Record<string, number> => ({
    mutants: counted.length,
    ...Object.fromEntries(
      VERDICTS.map((verdict) => [verdict, counted.filter((trial) => trial.verdict === verdict).length]),
    ),
  });
  const byPath = Map.groupBy(trials, ({ mutant }) => mutant.path);
  return { ...Object.fromEntries(Array.from(byPath, ([path, own]) => [path, count(own)])), all: count(trials) };
}
