import { globSync, readFileSync } from 'node:fs';
import { exceptions } from './patterns/exceptions.ts';
import { runWithoutOptions } from './usage.ts';

async function checkPatterns(): Promise<void> {
  // Without this, recheck would start its native or Java program. It reads the variable when it is loaded.
  process.env.RECHECK_SYNC_BACKEND = 'pure';
  const [{ findProblems }, { patternsIn }] = await Promise.all([
    import('./patterns/judge.ts'),
    import('./patterns/patterns.ts'),
  ]);
  const paths = globSync(['src/**/*.ts', 'sandbox/**/*.{ts,tsx,mjs}']).toSorted();
  const patterns = paths.flatMap((path) => patternsIn(path.replaceAll('\\', '/'), readFileSync(path, 'utf8')));
  const problems = findProblems(patterns, exceptions);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error('Rewrite each pattern, or add it with a reason to scripts/patterns/exceptions.ts.');
    process.exitCode = 1;
  } else console.log(`Checked ${patterns.length} patterns: all of them run in linear time.`);
}

await runWithoutOptions(
  'npm run check:patterns',
  'Checks that every regular expression runs in linear time.',
  checkPatterns,
);
