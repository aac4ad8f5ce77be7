import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { subjectProblem } from './check.ts';

/** sysexits.h. No other failure of this program keeps git from making the commit. */
const EX_DATAERR = 65;
/** Subjects that git writes itself: those of merges, and those that disappear with the next rebase. */
const WRITTEN_BY_GIT = /^(?:Merge |(?:fixup|squash|amend)! )/;

const [, , path = ''] = process.argv;
const input = readFileSync(path);
const message = execFileSync('git', ['stripspace', '--strip-comments'], { input, encoding: 'utf8' });
const subject = (message.split('\n\n')[0] ?? '').trim().replaceAll('\n', ' ');
// Git makes no commit with an empty message.
const problem = subject === '' || WRITTEN_BY_GIT.test(subject) ? undefined : subjectProblem(subject);
if (problem !== undefined) {
  console.error(`The subject "${subject}" ${problem}. The commit was not made.`);
  process.exitCode = EX_DATAERR;
}
