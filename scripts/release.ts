import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { presentSchema, schemaName } from '../src/services/store/rows/marks.ts';
import { problemsOf, tagOf, versionToRelease } from './release/problems.ts';
import { runScript, Stop } from './usage.ts';

const usage = 'npm run release -- [--dry-run]';
const does =
  'Checks whether the newest version in CHANGELOG.md can be released, then sets the version in package.json and the Dockerfile, commits and tags it. Nothing is pushed.';
const options = { 'dry-run': { type: 'boolean', help: 'only checks' } } as const;

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** Whether an npm command succeeds. Its output is shown. */
const passes = (...args: string[]): boolean =>
  spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;

const linesOf = (text: string): string[] => text.split('\n').filter(Boolean);

await runScript({ usage, does, options }, (values) => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const tags = linesOf(git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD'));
  const [lastTag] = tags;
  const packageFile: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
  const problems = problemsOf({
    version: packageFile.version,
    changelog,
    upgrading: readFileSync('docs/upgrading.md', 'utf8'),
    schema: schemaName(presentSchema),
    tags,
    status: git('status', '--porcelain'),
    subjects: lastTag === undefined ? undefined : linesOf(git('log', '--format=%s', `${lastTag}..HEAD`)),
  });
  const version = versionToRelease(changelog);
  if (problems.length > 0 || version === undefined) throw new Stop(1, problems.join('\n'));
  if (lastTag === undefined) console.log('No earlier version is tagged, so commit subjects are not checked.');
  if (!passes('run', 'check') || !passes('run', 'test:all')) throw new Stop(1, 'The checks or the tests failed.');
  if (values['dry-run']) {
    console.log(`${version} can be released.`);
    return 0;
  }
  if (!passes('version', version, '--no-git-tag-version', '--allow-same-version')) return 1;
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  writeFileSync('Dockerfile', dockerfile.replace(/(?<=image\.version=")[^"]*/, version));
  // The files may already have this version.
  if (git('status', '--porcelain') !== '') git('commit', '--all', '--message', `Release ${version}`);
  git('tag', '--annotate', tagOf(version), '--message', `Release ${version}`);
  console.log(`${version} is committed and tagged as ${tagOf(version)}. Push both to publish it.`);
  return 0;
});
