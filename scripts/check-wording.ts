import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { runWithoutOptions } from './usage.ts';
import { findFlaggedWords, subjectProblem, unusedExceptions } from './wording/check.ts';
import { flaggedWords, wordExceptions } from './wording/words.ts';

/** Code, strings shown to members, and docs. */
const CHECKED_PATHS = [...['src', 'sandbox', 'bench', 'scripts', 'docs', '.github', '.env.example', ':(glob)*.md']];
/** Not checked, because it contains every flagged word. */
const WORD_LIST = 'scripts/wording/words.ts';
/** How many commits have their subjects checked: enough for a branch, without going through the whole history each time. */
const RECENT_COMMITS = 20;

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

function checkWording(): void {
  const files = git('ls-files', '--', ...CHECKED_PATHS)
    .filter((path) => /\.(?:ts|tsx|mjs|md|yml|html|css|example)$/.test(path) || path.startsWith('src/locales/en/'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const problems = [
    ...files
      .filter(({ path }) => path !== WORD_LIST)
      .flatMap((file) => findFlaggedWords(file, flaggedWords, wordExceptions)),
    ...unusedExceptions(
      files.filter(({ path }) => path !== WORD_LIST),
      wordExceptions,
    ),
    ...git('log', '--no-merges', `-${RECENT_COMMITS}`, '--format=%s').flatMap((subject) => {
      const problem = subjectProblem(subject);
      return problem === undefined ? [] : [`commit "${subject}" ${problem}`];
    }),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(`${problems.length} places to rewrite. Exceptions and their reasons are in ${WORD_LIST}.`);
    process.exitCode = 1;
  } else console.log(`Checked ${files.length} files: no flagged words.`);
}

await runWithoutOptions(
  'npm run check:wording',
  'Checks the words of code, docs and recent commit subjects.',
  checkWording,
);
