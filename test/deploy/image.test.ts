import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { createFixture, type Fixture, GATEWAY_API_KEY } from '../e2e/bot.ts';
import { says } from '../e2e/quick.ts';
import { addCleanup } from '../support/ending.ts';
import { readImage } from './dockerfile.ts';
import { createImageFolder, imageUser } from './image-folder.ts';

/** The limit in compose.yaml is twice as long. */
const STOP_LIMIT_MS = 10_000;
const image = readImage();

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

/** Runs the image's command with its settings, as its user, with the secrets in files as in compose.yaml. */
async function startImage({ discord, gateway }: Fixture) {
  const { folder, data, temporary } = createImageFolder();
  addCleanup(async () => rmSync(folder, { recursive: true }));
  const writeSecret = (name: string, value: string): string => {
    const file = join(folder, name);
    writeFileSync(file, `${value}\n`);
    return file;
  };
  const environment = {
    PATH: dirname(process.execPath),
    ...image.environment,
    // This machine is not a container, so the port must not be reachable from outside or already in use.
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: await freePort(),
    TMPDIR: temporary,
    DISCORD_TOKEN_FILE: writeSecret('discord_token', discord.token),
    GATEWAY_API_KEY_FILE: writeSecret('gateway_api_key', GATEWAY_API_KEY),
    GATEWAY_BASE_URL: gateway.url,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_ADMIN_GUILD_IDS: discord.world.guild('atelier').id,
  };
  const spawnOptions = { cwd: folder, env: environment, ...imageUser };
  const [command = '', ...args] = image.command;
  const child = spawn(command, args, { ...spawnOptions, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  addCleanup(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await exitCode;
  });
  const url = `http://127.0.0.1:${environment.HTTP_PORT}`;
  return {
    child,
    data,
    ended: exitCode,
    folder,
    log: () => output,
    /** The HTTP status of the path, or 0 while nothing responds. */
    readiness: () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status,
        () => 0,
      ),
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    healthCheck: () => spawnSync('node', ['scripts/healthcheck.mjs', '/readyz'], { ...spawnOptions, encoding: 'utf8' }),
    /** Runs a script of the image as if in the same container. */
    script: (name: string, file: string, extraSettings: Record<string, string> = {}) =>
      spawnSync('node', [`scripts/${name}.ts`, file], {
        ...spawnOptions,
        env: { ...environment, ...extraSettings },
        encoding: 'utf8',
      }),
  };
}

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe('The image', () => {
  it(`The bot in the image serves members, is backed up and restored, and stops on SIGTERM, with only the packages in the image${hasPromtool ? '' : ' (not checked with promtool: it is not installed)'}`, async () => {
    const fixture = await createFixture();
    fixture.gateway.setSpeed(50);
    const bot = await startImage(fixture);
    const filesBefore = readdirSync(bot.folder);
    expect(bot.healthCheck()).toMatchObject({ status: 1, stdout: 'The bot does not answer: ECONNREFUSED\n' });
    await expect.poll(bot.readiness).toBe(200);
    expect(bot.healthCheck()).toMatchObject({ status: 0, stdout: expect.stringContaining('"ready":true') });

    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    expect((await exchange.message(says('Finished in'))).attachments).toHaveLength(1);

    // The chart needs sharp, whose libraries are packages of their own.
    const usage = await (await fixture.discord.as('admin').slash('usage', { of: 'account' })).message();
    expect(text(usage)).toContain('Account usage');
    const chart = usage.attachments.find(({ filename }) => filename.endsWith('.png'));
    expect(chart?.size).toBeGreaterThan(10_000);

    const metrics = await bot.metrics();
    expect(metrics).toContain('atelier_tasks_ended_total{kind="imagine",state="ready"} 1');
    if (hasPromtool) {
      expect(spawnSync('promtool', ['check', 'metrics'], { input: metrics }).status).toBe(0);
      expect(spawnSync('promtool', ['check', 'rules', 'deploy/monitoring/alerts.yaml']).status).toBe(0);
    }

    const backup = join(bot.data, 'atelier.backup');
    expect(bot.script('backup', backup)).toMatchObject({ status: 0 });

    const stopStartedAt = performance.now();
    bot.child.kill('SIGTERM');
    expect(await bot.ended).toBe(0);
    expect(performance.now() - stopStartedAt).toBeLessThan(STOP_LIMIT_MS);
    expect(bot.log()).toContain('Atelier has stopped.');
    expect(bot.log()).not.toContain(fixture.discord.token);
    const restored = bot.script('restore', backup, { STORE_URL: 'sqlite://data/restored.sqlite' });
    expect(restored).toMatchObject({ status: 0, stdout: expect.stringContaining('Tasks: 1.') });
    // Everything that the bot writes is in the volume.
    expect(readdirSync(bot.data)).toContain('atelier.sqlite');
    expect(readdirSync(bot.folder)).toEqual(filesBefore);
  });
});
