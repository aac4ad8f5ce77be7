import { globSync, readFileSync } from 'node:fs';
import { importProblems } from './house/imports.ts';
import { nameProblems } from './house/names.ts';
import { sentenceProblems } from './house/sentences.ts';
import { runCheck } from './usage.ts';

const DOES = 'Checks who imports whom, the names of files and exports, and that sentences are not in code.';

await runCheck('house', DOES, () => {
  const paths = globSync('{src,sandbox,bench,scripts,test}/**/*.{ts,tsx}').map((path) => path.replaceAll('\\', '/'));
  const files = new Map(paths.toSorted().map((path) => [path, readFileSync(path, 'utf8')]));
  const problems = [...files].flatMap(([path, text]) => [
    ...importProblems(path, text),
    ...sentenceProblems(path, text),
  ]);
  problems.push(...nameProblems(new Map([...files].filter(([path]) => path.startsWith('src/')))));
  return { problems, summary: `Checked ${paths.length} files: all of them keep to the house.` };
});
