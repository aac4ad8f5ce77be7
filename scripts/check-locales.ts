import { readdirSync } from 'node:fs';
import { languages } from '../src/lib/languages.ts';
import { stringFiles } from '../src/locales/index.ts';
import { localeProblems } from './locales/check.ts';
import { readMaxLengths } from './locales/lengths.ts';
import { runWithoutOptions } from './usage.ts';

const DOES = 'Compares the strings of every language with the English ones: keys, values, plurals, lengths.';

/** Unfinished languages, which members cannot choose, are listed only. */
await runWithoutOptions('npm run check:locales', DOES, () => {
  const english = stringFiles('en');
  const maxLengthOf = readMaxLengths();
  const folders = readdirSync(new URL('../src/locales/', import.meta.url), { withFileTypes: true });
  for (const { name } of folders.filter((one) => one.isDirectory())) {
    const problems = localeProblems(name, english, stringFiles(name), maxLengthOf);
    const isSpoken = languages.some((language) => language === name);
    for (const problem of problems) console.error(`src/locales/${name}/${problem}`);
    console.log(`Checked the strings of ${name}: ${problems.length} problems${isSpoken ? '' : ' (not spoken yet)'}.`);
    if (isSpoken && problems.length > 0) process.exitCode = 1;
  }
});
