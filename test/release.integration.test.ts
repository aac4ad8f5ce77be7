import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { problemsOf } from '../scripts/release/problems.ts';
import { presentSchema, schemaName } from '../src/services/store/rows/marks.ts';

const schema = schemaName(presentSchema);
const validRelease = {
  version: '1.1.0',
  changelog: '# Changelog\n\n## 1.2.0\n\n- More.\n\n## 1.1.0\n\n- Some.\n',
  upgrading: `| release | schema |\n| 1.2.0 | ${schema} |\n`,
  schema,
  tags: ['v1.1.0'],
  status: '',
  subjects: ['Add more'],
};

it('docs/upgrading.md names the current schema', () => {
  expect(readFileSync('docs/upgrading.md', 'utf8')).toContain(`| ${schema} |`);
});

describe('npm run release', () => {
  it.each([
    ['no problem', {}, []],
    ['a version that is already set', { version: '1.2.0' }, []],
    ['no previous release', { tags: [], subjects: undefined }, []],
    ['no version', { changelog: '# Changelog\n\n## Unreleased\n\n- More.\n' }, ['CHANGELOG.md has no version']],
    ['a released version', { tags: ['v1.2.0'] }, ['1.2.0 is released already']],
    [
      'unreleased changes',
      { changelog: validRelease.changelog.replace('## 1.2.0', '## Unreleased\n\n- New.\n\n## 1.2.0') },
      ['has changes above 1.2.0'],
    ],
    ['an empty entry', { changelog: validRelease.changelog.replace('- More.\n\n', '') }, ['says nothing about 1.2.0']],
    ['a lower version', { version: '1.10.0' }, ['package.json has 1.10.0']],
    ['a different schema version', { schema: '9.9' }, ['docs/upgrading.md does not say']],
    ['uncommitted changes', { status: ' M src/app.ts' }, ['The working tree has changes']],
    [
      'bad subjects',
      { subjects: ['Add more.', 'add more', 'A'.repeat(73)] },
      ['subject of a commit', 'subject', 'subject'],
    ],
  ] as const)('npm run release reports one sentence per problem: %s', (_what, changes, messages) => {
    const problems = problemsOf({ ...validRelease, ...changes });
    expect(problems).toEqual(messages.map((message) => expect.stringContaining(message)));
  });

  it('npm run release commits and tags the version, and changes nothing with --dry-run or if the tests fail', () => {
    const home = mkdtempSync(join(tmpdir(), 'atelier-release-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const folder = join(home, 'repository');
    const identity = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b.c',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b.c',
    };
    const env = { PATH: process.env.PATH, HOME: home, ...identity };
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
    const scripts = { check: 'node -e 0', 'test:all': 'node -e 0' };
    const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);
    mkdirSync(join(folder, 'docs'), { recursive: true });
    write('package.json', `${JSON.stringify({ name: 'a', version: '1.1.0', scripts }, null, 2)}\n`);
    write('CHANGELOG.md', validRelease.changelog);
    write('docs/upgrading.md', validRelease.upgrading);
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'Add all');
    const entry = fileURLToPath(new URL('../scripts/release.ts', import.meta.url));
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [entry, ...args], { cwd: folder, env, encoding: 'utf8' });

    const dryRun = run('--dry-run');
    expect(dryRun).toMatchObject({ status: 0, stdout: expect.stringContaining('1.2.0 can be released.') });
    expect([git('tag'), git('status', '--porcelain')]).toEqual(['', '']);
    const realRun = run();
    expect(realRun).toMatchObject({ status: 0, stdout: expect.stringContaining('tagged as v1.2.0') });
    expect(git('log', '--format=%s %D', '-1')).toContain('Release 1.2.0');
    expect(git('tag', '--points-at', 'HEAD')).toBe('v1.2.0');
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toContain('"version": "1.2.0"');
    expect(run('--dry-run')).toMatchObject({ status: 1, stderr: expect.stringContaining('1.2.0 is released already') });

    write('CHANGELOG.md', validRelease.changelog.replace('## 1.2.0', '## 1.3.0\n\n- New.\n\n## 1.2.0'));
    write('docs/upgrading.md', validRelease.upgrading.replace('1.2.0', '1.3.0'));
    write(
      'package.json',
      readFileSync(join(folder, 'package.json'), 'utf8').replace(
        '"test:all": "node -e 0"',
        '"test:all": "node -e \\"process.exit(1)\\""',
      ),
    );
    git('commit', '--quiet', '--all', '--message', 'Break the tests');
    expect(run('--dry-run')).toMatchObject({ status: 1, stderr: expect.stringContaining('the tests failed') });
  });
});
