import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { runCheck } from './usage.ts';
import { findFlaggedWords, subjectProblem, unusedExceptions } from './wording/check.ts';
import { flaggedWords, wordExceptions } from './wording/words.ts';

/** Code, strings shown to members, and docs. */
const CHECKED_PATHS = [...['src', 'sandbox', 'bench', 'scripts', 'docs', '.github', '.env.example', ':(glob)*.md']];
/** Not checked, because it contains every flagged word. */
const WORD_LIST = 'scripts/wording/words.ts';
/** How many commits have their subjects checked: enough for a branch, without going through the whole history each time. */
const RECENT_COMMITS = 20;

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

await runCheck('wording', 'Checks the words of code, docs and recent commit subjects.', () => {
  const files = git('ls-files', '--', ...CHECKED_PATHS)
    .filter((path) => /\.(?:ts|tsx|mjs|md|yml|html|css|example)$/.test(path) || path.startsWith('src/locales/en/'))
    .filter((path) => path !== WORD_LIST)
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const problems = [
    ...files.flatMap((file) => findFlaggedWords(file, flaggedWords, wordExceptions)),
    ...unusedExceptions(files, wordExceptions),
    ...git('log', '--no-merges', `-${RECENT_COMMITS}`, '--format=%s').flatMap((subject) => {
      const problem = subjectProblem(subject);
      return problem === undefined ? [] : [`commit "${subject}" ${problem}`];
    }),
  ];
  const advice = `${problems.length} places to rewrite. Exceptions and their reasons are in ${WORD_LIST}.`;
  return { problems, advice, summary: `Checked ${files.length} files: no flagged words.` };
});
