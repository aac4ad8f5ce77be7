import { globSync, readFileSync } from 'node:fs';
import { importProblems } from './house/imports.ts';
import { syntaxProblems } from './house/syntax.ts';
import { runWithoutOptions } from './usage.ts';

function checkHouse(): void {
  const paths = globSync('{src,sandbox,bench,scripts,test}/**/*.{ts,tsx}').map((path) => path.replaceAll('\\', '/'));
  const problems = paths.toSorted().flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return [...importProblems(path, text), ...syntaxProblems(path, text)];
  });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`Checked ${paths.length} files: all of them keep to the house.`);
}

await runWithoutOptions('npm run check:house', 'Checks who imports whom, and the house style of the code.', checkHouse);
