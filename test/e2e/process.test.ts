import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
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
import { runScriptHere } from '../support/run-script-here.ts';
import { shippedArgs } from '../support/shipped.ts';
import { createFixture, type Fixture, GATEWAY_API_KEY } from './bot.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface BotProcess {
  child: ChildProcess;
  output(): string;
  exitCode: Promise<number | null>;
}

const processes: BotProcess[] = [];

afterEach(async () => {
  for (const botProcess of processes.splice(0)) {
    botProcess.child.kill('SIGKILL');
    await botProcess.exitCode;
  }
});

const settingsOf = ({ discord, gateway, config }: Fixture): Record<string, string> => ({
  DISCORD_TOKEN: discord.token,
  DISCORD_API_URL: discord.apiUrl,
  GATEWAY_BASE_URL: gateway.url,
  GATEWAY_API_KEY,
  STORE_URL: config.store.url,
});

/** Runs a shipped entry point as a separate process, with only its documented variables set. */
function run(
  entry: string,
  fixture: Fixture,
  args: string[] = [],
  settings: Record<string, string> = {},
  stdout: 'pipe' | number = 'pipe',
): BotProcess {
  const child = spawn(process.execPath, [...shippedArgs(entry), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...settingsOf(fixture), ...settings },
    stdio: ['ignore', stdout, 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exitCode = once(child, 'exit').then(([code]) => code as number | null);
  const botProcess = { child, output: () => output, exitCode };
  processes.push(botProcess);
  return botProcess;
}

/** Starts the shipped bot, and waits until it is ready. */
async function startBot(fixture: Fixture, settings: Record<string, string> = {}): Promise<BotProcess> {
  const bot = run('src/index.ts', fixture, [], settings);
  await expect.poll(bot.output).toContain('Atelier is ready.');
  return bot;
}

/** Passes the secrets of a fixture as files instead of in the environment. */
function secretFiles({ discord, config }: Fixture): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const secrets = { DISCORD_TOKEN: discord.token, GATEWAY_API_KEY, STORE_URL: config.store.url };
  const settings = Object.entries(secrets).map(([name, value]) => {
    const file = join(folder, name);
    writeFileSync(file, `${value}\n`);
    return { [name]: '', [`${name}_FILE`]: file };
  });
  return Object.assign({}, ...settings);
}

describe('The shipped bot as a process', () => {
  it('The bot process with its secrets in files starts, responds, keeps a second process from its store, and exits with 0 on SIGTERM', async () => {
    const fixture = await createFixture();
    const bot = await startBot(fixture, secretFiles(fixture));
    expect(text(await (await fixture.discord.as('member').slash('models')).message())).toContain('24 models');
    const store = fixture.config.store.url.replace('sqlite://', '');
    expect(existsSync(store)).toBe(true);
    const second = run('src/index.ts', fixture);
    expect(await second.exitCode).toBe(75);
    expect(second.output()).toContain(`Another Atelier is using the store ${store}. Stop it first`);
    expect(second.output()).not.toContain('    at ');
    bot.child.kill('SIGTERM');
    expect(await bot.exitCode).toBe(0);
    expect(bot.output()).toContain('Atelier has stopped.');
    expect(bot.output()).not.toContain(fixture.discord.token);
  });

  it.skipIf(!existsSync('/dev/full'))('The bot process goes on without a log that cannot be written', async () => {
    const fixture = await createFixture();
    const port = String(await freePort());
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const bot = run('src/index.ts', fixture, [], { HTTP_PORT: port }, full);
    const status = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status: code }) => code, String);
    await expect.poll(status).toBe(200);
    expect(text(await (await fixture.discord.as('member').slash('models')).message())).toContain('24 models');
    bot.child.kill('SIGTERM');
    expect(await bot.exitCode).toBe(0);
    expect(bot.output()).toBe('');
  });

  it('The bot process exits with 77 and an error message if Discord refuses its token', {
    tags: ['breadth'],
  }, async () => {
    // The list of prices is read again and again, which must not keep the process alive.
    const settings = { DISCORD_TOKEN: 'MTIz.wrong.token', GATEWAY_PRICING_PATH: '/api/pricing' };
    const bot = run('src/index.ts', await createFixture(), [], settings);
    expect(await bot.exitCode).toBe(77);
    expect(bot.output()).toContain('Discord rejected DISCORD_TOKEN');
    expect(bot.output()).not.toContain('wrong.token');
  });

  it('The bot process exits with 78 and says what to enable if it lacks the intent that its settings need', {
    tags: ['breadth'],
  }, async () => {
    const bot = run('src/index.ts', await createFixture(), [], { DISCORD_MESSAGE_CONTENT: 'on' });
    expect(await bot.exitCode).toBe(78);
    expect(bot.output()).toContain('Enable \\"Message Content Intent\\" in the developer portal');
    expect(bot.output()).not.toContain('    at ');
  });

  it('The bot process exits with 75 and one sentence, without a stack trace, if Discord is unreachable', {
    tags: ['breadth'],
  }, async () => {
    const unreachable = { DISCORD_API_URL: `http://127.0.0.1:${await freePort()}/api` };
    const bot = run('src/index.ts', await createFixture(), [], unreachable);
    expect(await bot.exitCode).toBe(75);
    expect(bot.output()).toContain('Discord cannot be reached, so Atelier has not started.');
    expect(bot.output()).toContain('"code":"ECONNREFUSED"');
    expect(bot.output()).not.toContain('    at ');
  });

  it('The bot process exits with 0 on SIGTERM while Discord is unreachable, although it is reconnecting', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFixture();
    const bot = await startBot(fixture);
    await fixture.discord.close();
    await expect.poll(bot.output).toContain('Reconnecting to Discord.');
    bot.child.kill('SIGTERM');
    expect(await bot.exitCode).toBe(0);
    expect(bot.output()).toContain('Atelier has stopped.');
  });

  it('The bot process exits with 74 and one sentence, without a stack trace, if its store cannot be opened', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFixture();
    const folder = mkdtempSync(join(tmpdir(), 'atelier-folder-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // The lock of the store has the name of a folder, which no user can open as a file.
    mkdirSync(join(folder, 'a.sqlite.lock'));
    const bot = run('src/index.ts', fixture, [], { STORE_URL: `sqlite://${folder}/a.sqlite` });
    expect(await bot.exitCode).toBe(74);
    expect(bot.output()).toContain(`The store ${folder}/a.sqlite cannot be opened.`);
    expect(bot.output()).not.toContain('    at ');
  });

  it('A bot process that is killed during a submit reports the unknown outcome after a restart and does not submit again', async () => {
    const fixture = await createFixture();
    fixture.gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'accepted-then-hang' });
    const first = await startBot(fixture);
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.acknowledged();
    await expect.poll(() => fixture.gateway.jobs.list().length).toBe(1);
    first.child.kill('SIGKILL');
    await first.exitCode;
    const second = await startBot(fixture);
    const message = await exchange.message();
    expect(text(message)).toContain('couldn’t confirm whether the gateway accepted this');
    expect(fixture.gateway.requests.filter(({ path }) => path.includes('/submit/'))).toHaveLength(1);
    expect(second.output()).not.toContain(exchange.token);
  });

  it('A bot process that is killed between a callback and the poll it triggers finds the end of the job after a restart, and shows it once', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFixture();
    const { discord, gateway } = fixture;
    const port = await freePort();
    const settings = { CALLBACK_URL: `http://127.0.0.1:${port}/callbacks`, CALLBACK_PORT: String(port) };
    const sentCallbacks: SentCallback[] = [];
    gateway.onCallback((callback) => sentCallbacks.push(callback));
    gateway.faults.add({ do: { type: 'slow', times: 1_000 } });
    const first = await startBot(fixture, settings);
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(({ content }) => content.includes('%'));
    // The gateway no longer responds to polls, so the process is killed before it learns that the job has ended.
    gateway.faults.add({ on: { path: '/imgx/task' }, do: 'hang', times: 100 });
    const [job] = gateway.jobs.list();
    gateway.jobs.finish(job?.id ?? '');
    await expect.poll(() => sentCallbacks.at(-1)).toMatchObject({ status: 202, body: { status: 'succeeded' } });
    first.child.kill('SIGKILL');
    await first.exitCode;
    gateway.faults.clear();
    await startBot(fixture, settings);
    const message = await exchange.message(({ content }) => content.includes('Finished in'));
    expect(message.attachments).toHaveLength(1);
    expect(gateway.requests.filter(({ path }) => path.includes('/submit/'))).toHaveLength(1);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toHaveLength(1);
  });

  it('The bot process exits with 75 and an error message if its HTTP port is in use, serves its state once the port is free, and exits with 77 if its token is reset at run time', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFixture();
    const portHolder = createServer().listen(0, '127.0.0.1');
    await once(portHolder, 'listening');
    const { port } = portHolder.address() as AddressInfo;
    const settings = { HTTP_PORT: String(port), METRICS_TOKEN: 'a-token-for-prometheus' };
    const first = run('src/index.ts', fixture, [], settings);
    expect(await first.exitCode).toBe(75);
    expect(first.output()).toContain(`Port ${port} on 127.0.0.1 is in use by another program.`);
    portHolder.close();
    await once(portHolder, 'close');
    const second = await startBot(fixture, settings);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    fixture.discord.gateway.closeSessions(4004);
    expect(await second.exitCode).toBe(77);
    expect(second.output()).toContain('Discord rejected DISCORD_TOKEN');
    expect(first.output() + second.output()).not.toContain('a-token-for-prometheus');
  });

  it('The bot process exits with 78 if its settings are invalid', { tags: ['breadth'] }, async () => {
    const bot = run('src/index.ts', await createFixture(), [], { GATEWAY_API_KEY: '' });
    expect(await bot.exitCode).toBe(78);
  });
});

/** The names of all commands and menus of the bot. */
const allCommandNames = registrations(features, { userInstall: false }).map(({ name }) => name);

describe('npm run deploy', () => {
  const deploy = async (fixture: Fixture, ...args: string[]) => await deployWith({}, fixture, ...args);
  const deployWith = (settings: Record<string, string>, fixture: Fixture, ...args: string[]) =>
    runScriptHere('scripts/deploy.ts', { args, settings: { ...settingsOf(fixture), ...settings } });
  const commandWrites = ({ discord }: Fixture): string[] =>
    discord.requests
      .filter(({ method, path }) => method !== 'GET' && path.includes('/commands'))
      .map(({ method }) => method);

  it('npm run deploy reads its secrets from files, and can show its changes without applying them', async () => {
    const fixture = await createFixture({ registersCommands: false });
    const deployment = run('scripts/deploy.ts', fixture, ['--dry-run'], secretFiles(fixture));
    const [code, output] = [await deployment.exitCode, deployment.output()];
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('new       /models') });
    expect(output).toContain('Planned changes');
    expect(output).toMatch(/^ {2}\d+ of 100 commands, 7 of 15 menu entries$/m);
    expect(fixture.discord.commands.global()).toEqual([]);
    const missing = await deployWith({ DISCORD_TOKEN: '', DISCORD_TOKEN_FILE: 'no/such/file' }, fixture);
    expect(missing).toEqual({ code: 78, output: expect.stringContaining('  DISCORD_TOKEN_FILE should be the path') });
  });

  it('npm run deploy registers everything the first time, later only the changes, and can delete all commands', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFixture({ registersCommands: false });
    const first = await deploy(fixture);
    expect(first).toMatchObject({ code: 0 });
    expect(first.output).toContain('new       /models');
    expect(first.output).toContain('new       Report');
    expect(first.output).toContain(`client_id=${fixture.discord.applicationId}`);
    expect(commandWrites(fixture)).toEqual(['PUT']);

    const models = fixture.discord.commands.global().find(({ name }) => name === 'models');
    await fetch(`${fixture.discord.apiUrl}/v10/applications/${fixture.discord.applicationId}/commands/${models?.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bot ${fixture.discord.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ description: 'Something else' }),
    });
    const { output } = await deploy(fixture);
    expect(output.match(/^ {2}(new|changed|removed) .*$/gm)).toEqual(['  changed   /models']);
    expect(output.match(/^ {2}unchanged /gm)).toHaveLength(allCommandNames.length - 1);
    expect(commandWrites(fixture)).toEqual(['PUT', 'PATCH', 'PATCH']);

    expect((await deploy(fixture, '--clear')).output).toContain('removed   /models');
    expect(fixture.discord.commands.global()).toEqual([]);
    expect(fixture.discord.rateLimitHits).toEqual([]);
    expect(fixture.discord.violations).toEqual([]);
  });

  it('npm run deploy registers the commands only on a server if --guild is given, and says that members see those twice that are also registered globally', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFixture();
    const { discord } = fixture;
    const guild = discord.world.guild('atelier').id;
    const globalCommands = discord.commands.global();
    const plan = await deploy(fixture, '--guild', guild, '--dry-run');
    expect(plan.output).toContain('members of server');
    expect(plan.output).toContain('would see them twice after this.');
    expect(plan.output).not.toContain('--clear');
    const { output } = await deploy(fixture, '--guild', guild);
    const warning = `${allCommandNames.length} commands are also registered on all servers, so members of server ${guild}`;
    expect(output).toContain(`${warning} see them twice. To remove those of this server`);
    expect(discord.commands.guild(guild).map(({ name }) => name)).toEqual(allCommandNames);
    expect(discord.commands.global()).toEqual(globalCommands);
    const clearing = await deploy(fixture, '--guild', guild, '--clear', '--dry-run');
    expect(clearing.output).toContain('removed   /models');
    expect(clearing.output).not.toContain('twice');
    expect(clearing.output).not.toContain('Add the bot to a server');
  });

  it('npm run deploy says that the bot is not on the server if --guild names one where it is not', {
    tags: ['breadth'],
  }, async () => {
    const { code, output } = await deploy(await createFixture({ registersCommands: false }), '--guild', '1'.repeat(18));
    expect(output).toContain('Discord gives the bot no access to a server (code 50001).');
    expect(code).toBe(78);
  });

  it('npm run deploy explains its options without any settings', { tags: ['breadth'] }, async () => {
    const help = await deployWith({ DISCORD_TOKEN: '' }, await createFixture(), '--help');
    expect(help).toEqual({ code: 0, output: expect.stringMatching(/Usage: npm run deploy .*[\s\S]*--clear/) });
  });

  it('npm run deploy explains an invalid option or token in one sentence', { tags: ['breadth'] }, async () => {
    const fixture = await createFixture({ registersCommands: false });
    const invalid = await deploy(fixture, '--gild');
    expect(invalid.code).toBe(64);
    expect(invalid.output.trim().split('\n')).toHaveLength(1);
    const wrongServer = await deploy(fixture, '--guild', 'abc');
    expect(wrongServer).toEqual({ code: 64, output: expect.stringMatching(/^--guild should be a server ID .*\n$/) });
    const refused = await deployWith({ DISCORD_TOKEN: 'MTIz.wrong.token' }, fixture);
    expect(refused).toEqual({ code: 77, output: expect.stringContaining('Discord rejected DISCORD_TOKEN') });
    const unreachable = { DISCORD_API_URL: `http://127.0.0.1:${await freePort()}/api` };
    const failed = await deployWith(unreachable, fixture);
    expect(failed).toEqual({ code: 75, output: expect.stringMatching(/^Discord cannot be reached\. .*\n$/) });
  });
});
