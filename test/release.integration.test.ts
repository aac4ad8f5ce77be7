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

const candidate = (number: number) => ({
  changelog: validRelease.changelog.replace('## 1.2.0', `## 1.2.0-rc.${number}`),
});

it('docs/upgrading.md names the current schema', () => {
  expect(readFileSync('docs/upgrading.md', 'utf8')).toContain(`| ${schema} |`);
});

describe('npm run release', () => {
  it.each([
    ['no problem', {}, []],
    ['a version that is already set', { version: '1.2.0' }, []],
    ['no previous release', { tags: [], subjects: undefined }, []],
    ['no version', { changelog: '# Changelog\n\n## Unreleased\n\n- More.\n' }, ['CHANGELOG.md has no version']],
    ['a released version', { tags: ['v1.2.0'] }, ['1.2.0 is released already. Rename "## Unreleased"']],
    [
      'unreleased changes',
      { changelog: validRelease.changelog.replace('## 1.2.0', '## Unreleased\n\n- New.\n\n## 1.2.0') },
      ['has changes above 1.2.0'],
    ],
    ['an empty entry', { changelog: validRelease.changelog.replace('- More.\n\n', '') }, ['says nothing about 1.2.0']],
    ['a lower version', { version: '1.10.0' }, ['package.json has 1.10.0']],
    ['a different schema version', { schema: '9.9' }, ['docs/upgrading.md does not say']],
    ['a candidate, which freezes no schema', { ...candidate(1), schema: '9.9' }, []],
    ['a second candidate', { ...candidate(2), version: '1.2.0-rc.1', tags: ['v1.1.0', 'v1.2.0-rc.1'] }, []],
    ['a release after its candidates', { version: '1.2.0-rc.10', tags: ['v1.1.0', 'v1.2.0-rc.10'] }, []],
    [
      'a released candidate',
      { ...candidate(1), tags: ['v1.2.0-rc.1'] },
      ['1.2.0-rc.1 is released already. Rename its heading'],
    ],
    ['a lower candidate', { ...candidate(2), version: '1.2.0-rc.10' }, ['package.json has 1.2.0-rc.10']],
    ['a candidate after its release', { ...candidate(1), version: '1.2.0' }, ['package.json has 1.2.0']],
    [
      'another kind of pre-release',
      { changelog: '# Changelog\n\n## 1.2.0-beta.1\n\n- More.\n' },
      ['CHANGELOG.md has no version'],
    ],
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

  it('The project can be released as a candidate once the newest heading of its changelog is one', () => {
    const changelog = readFileSync('CHANGELOG.md', 'utf8').replace(/^## .+$/m, '## 999.0.0-rc.1');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const upgrading = readFileSync('docs/upgrading.md', 'utf8');
    const state = { version, changelog, upgrading, schema, tags: [], status: '', subjects: undefined };
    expect(problemsOf(state)).toEqual([]);
  });

  it('npm run release commits and tags a candidate and then its release, and changes nothing with --dry-run or if the tests fail', {
    tags: ['breadth'],
  }, () => {
    const { git, read, run, write } = createRepository();
    const changelogWith = (...sections: string[]): void =>
      write('CHANGELOG.md', ['# Changelog', ...sections, '## 1.1.0\n\n- Some.\n'].join('\n\n'));
    const commit = (subject: string): string => git('commit', '--quiet', '--all', '--message', subject);

    changelogWith('## 1.2.0-rc.1\n\n- More.');
    commit('Prepare a candidate');
    expect(run('--dry-run')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1.2.0-rc.1 can be released.'),
    });
    expect([git('tag'), git('status', '--porcelain')]).toEqual(['', '']);
    expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining('tagged as v1.2.0-rc.1') });
    expect(run('--dry-run')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('1.2.0-rc.1 is released already'),
    });

    changelogWith('## 1.2.0\n\n- More.');
    commit('Prepare the release');
    expect(run('--dry-run')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('docs/upgrading.md does not say that 1.2.0 has schema'),
    });
    write('docs/upgrading.md', validRelease.upgrading);
    commit('Name the schema');
    expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining('tagged as v1.2.0.') });
    expect(git('log', '--format=%s', '-1')).toBe('Release 1.2.0');
    expect(git('tag', '--points-at', 'HEAD')).toBe('v1.2.0');
    expect(read('package.json')).toContain('"version": "1.2.0"');
    expect(read('Dockerfile')).toBe('LABEL image.version="1.2.0" \\\n  image.licenses="MIT"\n');

    changelogWith('## 1.3.0-rc.1\n\n- New.', '## 1.2.0\n\n- More.');
    write('package.json', read('package.json').replace('"test:all": "', '"test:all": "exit 1 && '));
    commit('Break the tests');
    expect(run('--dry-run')).toMatchObject({ status: 1, stderr: expect.stringContaining('the tests failed') });
  });
});

/** A repository with its own git settings, whose checks and tests pass. */
function createRepository() {
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
  write('Dockerfile', 'LABEL image.version="1.1.0" \\\n  image.licenses="MIT"\n');
  write('CHANGELOG.md', '# Changelog\n');
  write('docs/upgrading.md', '');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Add all');
  const entry = fileURLToPath(new URL('../scripts/release.ts', import.meta.url));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [entry, ...args], { cwd: folder, env, encoding: 'utf8' });
  return { git, read: (name: string): string => readFileSync(join(folder, name), 'utf8'), run, write };
}
