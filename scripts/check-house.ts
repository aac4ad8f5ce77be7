import { globSync, readFileSync } from 'node:fs';
import { importProblems } from './house/imports.ts';
import { runWithoutOptions } from './usage.ts';

function checkHouse(): void {
  const paths = globSync(['src/**/*.ts', 'sandbox/**/*.{ts,tsx}']).map((path) => path.replaceAll('\\', '/'));
  const problems = paths.toSorted().flatMap((path) => importProblems(path, readFileSync(path, 'utf8')));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`Checked the imports of ${paths.length} files: all of them keep to the house.`);
}

await runWithoutOptions('npm run check:house', 'Checks who imports whom.', checkHouse);
