import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import packageFile from '../package.json' with { type: 'json' };
import { configVariables, secretVariables } from '../src/config.ts';
import { fileVariable } from '../src/lib/secret.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const checkNode = join(root, 'scripts', 'check-node.mjs');
const EX_CONFIG = 78;
const { optionalDependencies } = packageFile;

/** An empty variable counts as unset, but keeps Node from reading its value from a developer's `.env`. */
const emptySettings = Object.fromEntries(
  [...configVariables, ...secretVariables.map(fileVariable)].map((name) => [name, '']),
);
const requiredSettings = {
  DISCORD_TOKEN: 'a.b.secret-of-the-bot',
  GATEWAY_BASE_URL: 'http://127.0.0.1:4010',
  GATEWAY_API_KEY: 'sk-secret-of-the-gateway',
};

function runNpmScript(script: string, settings: Record<string, string> = {}) {
  return spawnSync('npm', ['run', '--silent', script], {
    cwd: root,
    env: { ...process.env, ...emptySettings, ...settings },
    encoding: 'utf8',
    // On Windows npm is a shell script.
    shell: process.platform === 'win32',
  });
}

describe('npm start', () => {
  it('npm start names all missing settings and exits with 78 if nothing is set', () => {
    const { status, stdout, stderr } = runNpmScript('start');
    expect(status).toBe(EX_CONFIG);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Atelier cannot start because of invalid settings/);
    for (const name of Object.keys(requiredSettings)) expect(stderr).toContain(`  ${name} is required: the `);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('npm start names invalid settings without printing secrets', { tags: ['breadth'] }, () => {
    const { status, stderr } = runNpmScript('start', {
      ...requiredSettings,
      GATEWAY_API_KEY: 'my secret-of-the-gateway',
      LOG_LEVEL: 'x',
    });
    expect(status).toBe(EX_CONFIG);
    expect(stderr).toContain('  GATEWAY_API_KEY should be ');
    expect(stderr).toContain('  LOG_LEVEL should be one of ');
    expect(stderr).not.toContain('secret-of');
  });
});

it('Settings are read from .env unless the environment has them, and a missing .env is not mentioned', {
  tags: ['breadth'],
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-env-'));
  try {
    const run = () =>
      spawnSync(
        process.execPath,
        ['--import', join(root, 'scripts', 'env-file.mjs'), '-p', 'process.env.FROM_FILE + process.env.FROM_BOTH'],
        { cwd: folder, env: { ...process.env, FROM_BOTH: 'environment' }, encoding: 'utf8' },
      );
    expect(run()).toMatchObject({ stdout: 'undefinedenvironment\n', stderr: '' });
    writeFileSync(join(folder, '.env'), 'FROM_FILE=file\nFROM_BOTH=file\n');
    expect(run()).toMatchObject({ stdout: 'fileenvironment\n', stderr: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('The check of the Node version', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atelier-node-'));
    writeFileSync(join(folder, 'entry.ts'), "const said: string = 'the entry ran';\nprocess.stdout.write(said);\n");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (node: string, script: string) =>
    spawnSync(node, ['--import', script, 'entry.ts'], { cwd: folder, encoding: 'utf8' });

  /** Copies the script next to its own package.json, to test version ranges that the current Node does or does not meet. */
  function copyCheckWithRange(range: string): string {
    const copy = join(folder, 'scripts', 'check-node.mjs');
    mkdirSync(join(folder, 'scripts'));
    copyFileSync(checkNode, copy);
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ type: 'module', engines: { node: range }, optionalDependencies }),
    );
    return copy;
  }

  /** A module that pretends to run on another machine, and on another Node if a version is given. */
  function pretend(platform: string, arch: string, version = process.versions.node): string {
    const properties = { platform, arch, versions: { ...process.versions, node: version } };
    const descriptors = Object.entries(properties).map(([name, value]) => [name, { value }]);
    return `data:text/javascript,Object.defineProperties(process, ${JSON.stringify(Object.fromEntries(descriptors))})`;
  }

  /** Finds a Node on the PATH that is older than the minimum; node_modules is left out, as after `npm ci --omit=optional`. */
  function findOlderNode(): { path: string; version: string } | undefined {
    const name = process.platform === 'win32' ? 'node.exe' : 'node';
    return (process.env.PATH ?? '')
      .split(delimiter)
      .filter((directory) => !directory.split(sep).includes('node_modules'))
      .map((directory) => join(directory, name))
      .filter((path) => existsSync(path))
      .map((path) => ({ path, version: spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1) }))
      .find(({ version }) => {
        const [major = 0, minor = 0] = version.split('.').map(Number);
        // Older versions do not know `--import` and never start the script.
        const supportsImport = major > 18 || (major === 18 && minor >= 18);
        return supportsImport && (major < 24 || (major === 24 && minor < 16));
      });
  }

  it('The check of the Node version stops an older Node with one sentence and exit code 78 before the entry point is loaded', ({
    skip,
  }) => {
    const older = findOlderNode();
    if (!older) return skip('no Node between 18.18 and 24.16 on the PATH of this machine');
    const { status, stdout, stderr } = run(older.path, checkNode);
    expect(status).toBe(EX_CONFIG);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      `Atelier needs Node >=24.16 <25, but this is Node ${older.version}. Run \`npm ci\` without \`--omit=optional\` to get a matching Node, or install Node 24.\n`,
    );
  });

  it('The check of the Node version prints nothing for a supported Node', { tags: ['breadth'] }, () => {
    expect(run(process.execPath, checkNode)).toMatchObject({ status: 0, stdout: 'the entry ran', stderr: '' });
  });

  it.each(['>=99.11 <100', '>=99', '>=1.0 <2', '>=24.999 <25'])(
    'The check of the Node version applies the range in package.json: it refuses %s',
    { tags: ['breadth'] },
    (range) => {
      const { status, stdout, stderr } = run(process.execPath, copyCheckWithRange(range));
      expect({ status, stdout }).toEqual({ status: EX_CONFIG, stdout: '' });
      expect(stderr).toContain(`needs Node ${range}, but this is Node ${process.versions.node}.`);
      expect(stderr.trimEnd()).not.toContain('\n');
    },
  );

  it.each([
    ['darwin', 'arm64', 'On macOS npm cannot provide it, so install Node 99 yourself'],
    ['freebsd', 'x64', 'On freebsd x64 npm cannot provide it, so install Node 99 yourself'],
    ['win32', 'arm64', 'On win32 arm64 npm cannot provide it, so install Node 99 yourself'],
    ['win32', 'x64', 'Run `npm ci` without `--omit=optional` to get a matching Node, or install Node 99.'],
    ['linux', 'arm64', 'Run `npm ci` without `--omit=optional` to get a matching Node, or install Node 99.'],
  ])(
    'The check of the Node version says how to get one on %s %s',
    { tags: ['breadth'] },
    (platform, arch, sentence) => {
      const args = ['--import', pretend(platform, arch), '--import', copyCheckWithRange('>=99'), 'entry.ts'];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
      expect(status).toBe(EX_CONFIG);
      expect(stderr).toContain(sentence);
    },
  );

  it.each(['start', 'setup', 'deploy'] as const)(
    'npm run %s says on macOS that Node has to be installed there',
    { tags: ['breadth'] },
    (name) => {
      const [, ...args] = packageFile.scripts[name].split(' ');
      const macos = pretend('darwin', 'arm64', '22.20.0');
      expect(spawnSync(process.execPath, ['--import', macos, ...args], { cwd: root, encoding: 'utf8' })).toMatchObject({
        status: EX_CONFIG,
        stdout: '',
        stderr:
          'Atelier needs Node >=24.16 <25, but this is Node 22.20.0. On macOS npm cannot provide it, so install Node 24 yourself, for example from https://nodejs.org.\n',
      });
    },
  );

  it.each(['>=24', '>=18.18 <99', '>= 24.11 < 25'])(
    'The check of the Node version applies the range in package.json: it allows %s',
    { tags: ['breadth'] },
    (range) => {
      expect(run(process.execPath, copyCheckWithRange(range))).toMatchObject({
        status: 0,
        stdout: 'the entry ran',
        stderr: '',
      });
    },
  );

  it('Every command says before it starts that the optional package for images is missing, and how to get it', {
    tags: ['breadth'],
  }, () => {
    const copy = copyCheckWithRange('>=24');
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...packageFile, type: 'module' }));
    const { platform, arch } = process;
    expect(run(process.execPath, copy)).toMatchObject({
      status: EX_CONFIG,
      stdout: '',
      stderr: `Images need @img/sharp-${platform}-${arch}, which is missing. Run \`npm ci\` without \`--omit=optional\`.\n`,
    });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    expect(run(process.execPath, copy)).toMatchObject({ status: 0, stdout: 'the entry ran', stderr: '' });
  });

  it('The check of the Node version can read the range in package.json', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(engines.node).toMatch(/^>=\d+\.\d+ <\d+$/);
  });
});
