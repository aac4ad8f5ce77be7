import { globSync, readFileSync } from 'node:fs';
import { importProblems } from './house/imports.ts';
import { nameProblems } from './house/names.ts';
import { sentenceProblems } from './house/sentences.ts';
import { syntaxProblems } from './house/syntax.ts';
import { runWithoutOptions } from './usage.ts';

function checkHouse(): void {
  const paths = globSync('{src,sandbox,bench,scripts,test}/**/*.{ts,tsx}').map((path) => path.replaceAll('\\', '/'));
  const files = new Map(paths.toSorted().map((path) => [path, readFileSync(path, 'utf8')]));
  const problems = [...files].flatMap(([path, text]) => [
    ...importProblems(path, text),
    ...sentenceProblems(path, text),
    ...syntaxProblems(path, text),
  ]);
  problems.push(...nameProblems(new Map([...files].filter(([path]) => path.startsWith('src/')))));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`Checked ${paths.length} files: all of them keep to the house.`);
}

await runWithoutOptions(
  'npm run check:house',
  'Checks who imports whom, the names of files and exports, that sentences are not in code, and the house style of the code.',
  checkHouse,
);
