import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { SentCallback } from '../../sandbox/gateway/callbacks.ts';
import { features } from '../../src/commands/index.ts';
import { registrations } from '../../src/discord/registration.ts';
import { freePort } from '../support/free-port.ts';
import { shipped } from '../support/shipped.ts';
import { key, type Stage, stage } from './bot.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Running {
  child: ChildProcess;
  printed(): string;
  ended: Promise<number | null>;
}

const running: Running[] = [];

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.child.kill('SIGKILL');
    await one.ended;
  }
});

/** A shipped entry point as a separate process, with only its documented variables set. */
function run(
  entry: string,
  { discord, gateway, config }: Stage,
  args: string[] = [],
  settings: Record<string, string> = {},
): Running {
  const child = spawn(process.execPath, [...shipped(entry), ...args], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY: key,
      STORE_URL: config.store.url,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const one = { child, printed: () => output, ended };
  running.push(one);
  return one;
}

/** Passes the secrets of a stage as files instead of in the environment. */
function secretFiles({ discord, config }: Stage): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const secrets = { DISCORD_TOKEN: discord.token, GATEWAY_API_KEY: key, STORE_URL: config.store.url };
  const settings = Object.entries(secrets).map(([name, value]) => {
    const file = join(folder, name);
    writeFileSync(file, `${value}\n`);
    return { [name]: '', [`${name}_FILE`]: file };
  });
  return Object.assign({}, ...settings);
}

const pollOptions = { timeout: 20_000 };

describe('The shipped bot as a process', () => {
  it('The bot process starts, responds and exits with 0 on SIGTERM', async () => {
    const fixture = await stage();
    const bot = run('src/index.ts', fixture);
    await expect.poll(bot.printed, pollOptions).toContain('Atelier is ready.');
    await fixture.discord.until(() => (fixture.discord.gateway.sessions > 0 ? true : undefined));
    expect(text(await (await fixture.discord.as('member').slash('models')).message())).toContain('24 models');
    bot.child.kill('SIGTERM');
    expect(await bot.ended).toBe(0);
    expect(bot.printed()).toContain('Atelier has stopped.');
    expect(bot.printed()).not.toContain(fixture.discord.token);
  });

  it('The bot process starts with its secrets in files', async () => {
    const fixture = await stage();
    const bot = run('src/index.ts', fixture, [], secretFiles(fixture));
    await expect.poll(bot.printed, pollOptions).toContain('Atelier is ready.');
    expect(text(await (await fixture.discord.as('member').slash('models')).message())).toContain('24 models');
    expect(existsSync(fixture.config.store.url.replace('sqlite://', ''))).toBe(true);
    expect(bot.printed()).not.toContain(fixture.discord.token);
  });

  it('The bot process exits with 77 and an error message if Discord refuses its token', async () => {
    const bot = run('src/index.ts', await stage(), [], { DISCORD_TOKEN: 'MTIz.wrong.token' });
    expect(await bot.ended).toBe(77);
    expect(bot.printed()).toContain('Discord rejected DISCORD_TOKEN');
    expect(bot.printed()).not.toContain('wrong.token');
  });

  it('The bot process exits with 77 if its token is reset at run time', async () => {
    const fixture = await stage();
    const bot = run('src/index.ts', fixture);
    await fixture.discord.until(() => (fixture.discord.gateway.sessions > 0 ? true : undefined));
    await expect.poll(bot.printed, pollOptions).toContain('Atelier is ready.');
    fixture.discord.gateway.closeSessions(4004);
    expect(await bot.ended).toBe(77);
    expect(bot.printed()).toContain('Discord rejected DISCORD_TOKEN');
  });

  it('The bot process exits with 75 and an error message if another bot owns its store', async () => {
    const fixture = await stage();
    const first = run('src/index.ts', fixture);
    await expect.poll(first.printed, pollOptions).toContain('Atelier is ready.');
    const second = run('src/index.ts', fixture);
    expect(await second.ended).toBe(75);
    expect(second.printed()).toContain(fixture.config.store.url.replace('sqlite://', ''));
  });

  it('A bot process that is killed during a submit reports the unknown outcome after its restart and does not submit again', async () => {
    const fixture = await stage();
    fixture.gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'accepted-then-hang' });
    const first = run('src/index.ts', fixture);
    await expect.poll(first.printed, pollOptions).toContain('Atelier is ready.');
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.acknowledged();
    await expect.poll(() => fixture.gateway.jobs.list().length, pollOptions).toBe(1);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = run('src/index.ts', fixture);
    const message = await exchange.message();
    expect(text(message)).toContain('couldn’t confirm whether the gateway accepted this');
    expect(fixture.gateway.heard.filter(({ path }) => path.includes('/submit/'))).toHaveLength(1);
    expect(second.printed()).not.toContain(exchange.token);
  });

  it('A bot process that is killed between a callback and its poll finds the end after its restart, and shows it once', async () => {
    const fixture = await stage();
    const { discord, gateway } = fixture;
    const port = await freePort();
    const settings = { CALLBACK_URL: `http://127.0.0.1:${port}/callbacks`, CALLBACK_PORT: String(port) };
    const sent: SentCallback[] = [];
    gateway.onCalledBack((callback) => sent.push(callback));
    gateway.faults.add({ do: { type: 'slow', times: 1_000 } });
    const first = run('src/index.ts', fixture, [], settings);
    await expect.poll(first.printed, pollOptions).toContain('Atelier is ready.');
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(({ content }) => content.includes('%'));
    // The gateway no longer responds to polls, so the process is killed before it knows the end.
    gateway.faults.add({ on: { path: '/imgx/task' }, do: 'hang', times: 100 });
    const [job] = gateway.jobs.list();
    gateway.jobs.finish(job?.id ?? '');
    await expect.poll(() => sent.at(-1), pollOptions).toMatchObject({ status: 202, body: { status: 'succeeded' } });
    first.child.kill('SIGKILL');
    await first.ended;
    gateway.faults.clear();
    run('src/index.ts', fixture, [], settings);
    const shown = await exchange.message(({ content }) => content.includes('Finished in'));
    expect(shown.attachments).toHaveLength(1);
    expect(gateway.heard.filter(({ path }) => path.includes('/submit/'))).toHaveLength(1);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toHaveLength(1);
  });

  it('The bot process exits with 75 and an error message if its port is in use, and serves its state on a free one', async () => {
    const fixture = await stage();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const settings = { HTTP_PORT: String(port), METRICS_TOKEN: 'a-token-for-prometheus' };
    const first = run('src/index.ts', fixture, [], settings);
    expect(await first.ended).toBe(75);
    expect(first.printed()).toContain(`Port ${port} on 127.0.0.1 is in use by another program.`);
    other.close();
    await once(other, 'close');
    const second = run('src/index.ts', fixture, [], settings);
    await expect.poll(second.printed, pollOptions).toContain('Atelier is ready.');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(first.printed() + second.printed()).not.toContain('a-token-for-prometheus');
  });

  it('The bot process exits with 78 if its settings are invalid', async () => {
    const bot = run('src/index.ts', await stage(), [], { GATEWAY_API_KEY: '' });
    expect(await bot.ended).toBe(78);
  });
});

/** All commands and menus of the bot. */
const all = registrations(features, { userInstall: false }).map(({ name }) => name);

describe('npm run deploy', () => {
  const deploy = async (fixture: Stage, ...args: string[]) => await deployWith({}, fixture, ...args);
  const deployWith = async (settings: Record<string, string>, fixture: Stage, ...args: string[]) => {
    const one = run('scripts/deploy.ts', fixture, args, settings);
    return { code: await one.ended, printed: one.printed() };
  };
  const writes = ({ discord }: Stage): string[] =>
    discord.requests
      .filter(({ method, path }) => method !== 'GET' && path.includes('/commands'))
      .map(({ method }) => method);

  it('npm run deploy reads its secrets from files', async () => {
    const fixture = await stage({ deployed: false });
    const { code, printed } = await deployWith(secretFiles(fixture), fixture, '--dry-run');
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining('new       /models') });
    const missing = await deployWith({ DISCORD_TOKEN: '', DISCORD_TOKEN_FILE: 'no/such/file' }, fixture);
    expect(missing).toEqual({ code: 78, printed: expect.stringContaining('  DISCORD_TOKEN_FILE should be the path') });
  });

  it('npm run deploy registers everything the first time, and later only the changes', async () => {
    const fixture = await stage({ deployed: false });
    const first = await deploy(fixture);
    expect(first).toMatchObject({ code: 0 });
    expect(first.printed).toContain('new       /models');
    expect(first.printed).toContain(`client_id=${fixture.discord.applicationId}`);
    expect(writes(fixture)).toEqual(all.map(() => 'POST'));
    expect((await deploy(fixture)).printed).toContain('unchanged /models');
    expect(writes(fixture)).toHaveLength(all.length);

    const models = fixture.discord.commands.global().find(({ name }) => name === 'models');
    await fetch(`${fixture.discord.apiUrl}/v10/applications/${fixture.discord.applicationId}/commands/${models?.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bot ${fixture.discord.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ description: 'Something else' }),
    });
    expect((await deploy(fixture)).printed).toContain(`changed   /${models?.name}`);
    expect((await deploy(fixture)).printed).not.toContain('changed   /');
    expect(fixture.discord.violations).toEqual([]);
  });

  it('npm run deploy can show its changes without applying them, and can delete all commands', async () => {
    const fixture = await stage({ deployed: false });
    expect((await deploy(fixture, '--dry-run')).printed).toContain('Planned changes');
    expect(fixture.discord.commands.global()).toEqual([]);
    await deploy(fixture);
    expect((await deploy(fixture, '--clear')).printed).toContain('removed   /models');
    expect(fixture.discord.commands.global()).toEqual([]);
  });

  it('npm run deploy registers in a single server if configured', async () => {
    const fixture = await stage({ deployed: false });
    const guild = fixture.discord.world.guild('atelier').id;
    await deploy(fixture, '--guild', guild);
    expect(fixture.discord.commands.guild(guild).map(({ name }) => name)).toEqual(all);
    expect(fixture.discord.commands.global()).toEqual([]);
  });

  it('npm run deploy names a wrong option or token in one sentence', async () => {
    const fixture = await stage({ deployed: false });
    const wrong = await deploy(fixture, '--gild');
    expect(wrong.code).toBe(64);
    expect(wrong.printed.trim().split('\n')).toHaveLength(1);
    const refused = run('scripts/deploy.ts', fixture, [], { DISCORD_TOKEN: 'MTIz.wrong.token' });
    expect(await refused.ended).toBe(77);
    expect(refused.printed()).toContain('Discord rejected DISCORD_TOKEN');
  });
});
