import { globSync, readFileSync } from 'node:fs';
import { exceptions } from './patterns/exceptions.ts';

// The native program and the Java one that recheck also brings are never started; it asks the environment when it is loaded.
process.env.RECHECK_SYNC_BACKEND = 'pure';
const [{ objectionsTo }, { patternsIn }] = await Promise.all([
  import('./patterns/judge.ts'),
  import('./patterns/patterns.ts'),
]);

const paths = globSync(['src/**/*.ts', 'sandbox/**/*.{ts,tsx,mjs}']).toSorted();
const patterns = paths.flatMap((path) => patternsIn(path.replaceAll('\\', '/'), readFileSync(path, 'utf8')));
const objections = objectionsTo(patterns, exceptions);
for (const objection of objections) console.error(objection);
if (objections.length > 0) {
  console.error('Rewrite each pattern, or add it with a reason to scripts/patterns/exceptions.ts.');
  process.exitCode = 1;
} else console.log(`Checked ${patterns.length} patterns: all of them run in linear time.`);
