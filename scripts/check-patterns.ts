import { globSync, readFileSync } from 'node:fs';
import { exceptions } from './patterns/exceptions.ts';
import { runCheck } from './usage.ts';

await runCheck('patterns', 'Checks that every regular expression runs in linear time.', async () => {
  // Without this, recheck would start its native or Java program. It reads the variable when it is loaded.
  process.env.RECHECK_SYNC_BACKEND = 'pure';
  const [{ findProblems }, { patternsIn }] = await Promise.all([
    import('./patterns/judge.ts'),
    import('./patterns/patterns.ts'),
  ]);
  const paths = globSync(['src/**/*.ts', 'sandbox/**/*.{ts,tsx,mjs}']).toSorted();
  const patterns = paths.flatMap((path) => patternsIn(path.replaceAll('\\', '/'), readFileSync(path, 'utf8')));
  return {
    problems: findProblems(patterns, exceptions),
    advice: 'Rewrite each pattern, or add it with a reason to scripts/patterns/exceptions.ts.',
    summary: `Checked ${patterns.length} patterns: all of them run in linear time.`,
  };
});
