import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, stripVTControlCharacters } from 'node:util';
import { PermissionFlagsBits } from 'discord-api-types/v10';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/discord.ts';
import { startGateway } from '../../sandbox/gateway/gateway.ts';
import { createFixture, type Fixture, type FixtureOptions } from '../e2e/bot.ts';
import { says } from '../e2e/quick.ts';
import { freePort } from '../support/free-port.ts';
import { runScriptHere } from '../support/run-script-here.ts';
import { shippedArgs } from '../support/shipped.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const setupArgs = shippedArgs('scripts/setup.ts').map((one) => (one.startsWith('--') ? one : join(root, one)));

const KEY = 'sk-a-key-that-no-one-may-see';
const KEY_WITHOUT_MODELS = 'sk-a-key-without-models';
const keys = [{ key: KEY }, { key: KEY_WITHOUT_MODELS, models: [] }];

const newWorld = (options: FixtureOptions = {}): Promise<Fixture> =>
  createFixture({
    registersCommands: false,
    ...options,
    discord: { application: { bot_public: false }, ...options.discord },
    gateway: { keys, ...options.gateway },
  });

const settingsOf = ({ discord, gateway }: Pick<Fixture, 'discord' | 'gateway'>): Record<string, string> => ({
  DISCORD_TOKEN: discord.token,
  DISCORD_API_URL: discord.apiUrl,
  GATEWAY_BASE_URL: gateway.url,
  GATEWAY_API_KEY: KEY,
});

/** An empty folder, in which the set-up writes its `.env`. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const envIn = (folder: string): Record<string, string | undefined> =>
  parseEnv(readFileSync(join(folder, '.env'), 'utf8'));

/** Runs a program until it ends. Its input stays open, and can be written to. */
function run(program: string, args: readonly string[], cwd: string, settings: Record<string, string>) {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...settings };
  const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = once(child, 'close').then(([exitCode, signal]) => (exitCode ?? signal) as number | string);
  return { child, code, output: () => output };
}

/** Without colours and line breaks, because lines end where the terminal does. */
const wordsOf = (output: string): string => stripVTControlCharacters(output).replace(/\s+/g, ' ');

/** In a process of its own. */
async function setUpByNode(folder: string, settings: Record<string, string>) {
  const { code, output } = run(process.execPath, [...setupArgs, '--yes'], folder, settings);
  return { code: await code, output: output() };
}

const setUp = (folder: string, settings: Record<string, string>) =>
  runScriptHere('scripts/setup.ts', { args: ['--yes'], settings, folder });

const writtenCommands = ({ discord }: Fixture): number =>
  discord.requests.filter(({ method, path }) => method !== 'GET' && path.includes('/commands')).length;

describe('npm run setup -- --yes', () => {
  it('npm run setup -- --yes writes .env for its owner alone, registers the commands, examines the permissions, and changes nothing the second time', async () => {
    const world = await newWorld();
    const folder = newFolder();
    const settings = { ...settingsOf(world), GATEWAY_BASE_URL: `${world.gateway.url}/v1` };
    const first = await setUpByNode(folder, settings);
    expect(first).toEqual({ code: 0, output: expect.stringContaining('Wrote .env, which only you can read.') });
    expect(wordsOf(first.output)).toContain('Once the bot runs, use /setup on your server');
    expect(envIn(folder)).toMatchObject({ ...settings, DEFAULT_VIDEO_MODEL: 'reel-2' });
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(world.discord.commands.global().length).toBeGreaterThan(0);
    expect(first.output).toContain(
      'commands and menu entries are registered on all servers.\n\nAdd the bot to a server:',
    );
    expect(first.output).toContain('https://discord.com/oauth2/authorize?client_id=');
    expect(first.output).toContain('On elsewhere, the bot has all the permissions it needs.');
    expect(first.output).toContain('- #read-only: Send Messages, Send Messages in Threads, Attach Files');
    const text = readFileSync(join(folder, '.env'), 'utf8');
    // The second time, everything is in the file.
    const second = await setUpByNode(folder, {});
    expect(second).toEqual({ code: 0, output: expect.stringContaining('.env needs no change.') });
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(text);
    expect(writtenCommands(world)).toBe(1);
    expect(readdirSync(folder)).toEqual(['.env']);
    for (const secret of [world.discord.token, KEY]) expect(first.output + second.output).not.toContain(secret);
    // Nothing was ordered.
    expect(world.gateway.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(first.output.split('\n').filter((line) => line.length > 80 && !line.includes('https://'))).toEqual([]);
  });

  it('npm run setup names the permissions that the bot lacks, says what each is for, and exits with 77', {
    tags: ['breadth'],
  }, async () => {
    const world = await newWorld();
    const role = world.discord.world.guild('elsewhere').roles.find(({ name }) => name === 'atelier-bot');
    const everyone = world.discord.world.guild('elsewhere').roles[0];
    for (const one of [role, everyone]) if (one) one.permissions &= ~PermissionFlagsBits.AttachFiles;
    const { code, output } = await setUp(newFolder(), settingsOf(world));
    expect(output).toContain('On elsewhere, the bot lacks these permissions:\n   - Attach Files: images, videos');
    expect(output).not.toContain('   - View Channel:');
    expect(code).toBe(77);
  });

  it.each([
    ['a registration', '/applications/:application/guilds/:guild/commands', 50_013],
    ['a check', '/guilds/:guild/channels', 50_001],
  ])(
    'npm run setup says what to do if Discord refuses %s, and ignores a proxy',
    { tags: ['breadth'] },
    async (_name, route, code) => {
      const world = await newWorld();
      world.discord.faults.add({ on: { route }, do: { type: 'status', status: 403, code } });
      const DISCORD_GUILD_ID = world.discord.world.guild('atelier').id;
      const HTTPS_PROXY = `http://127.0.0.1:${await freePort()}`;
      const ending = await setUpByNode(newFolder(), {
        ...settingsOf(world),
        DISCORD_GUILD_ID,
        HTTPS_PROXY,
        HTTP_PROXY: HTTPS_PROXY,
      });
      expect(wordsOf(ending.output)).toContain(`Discord gives the bot no access to a server (code ${code}).`);
      expect(ending.code).toBe(78);
    },
  );

  it('npm run setup names the application of the token, and says what to check if it is another one than that of the server', {
    tags: ['breadth'],
  }, async () => {
    const world = await newWorld({ discord: { application: { name: 'Another bot', bot_public: false } } });
    const server = world.discord.world.guild('atelier');
    server.installed = false;
    const settings = settingsOf(world);
    const refused = await setUp(newFolder(), { ...settings, DISCORD_GUILD_ID: server.id });
    expect(refused.code).toBe(78);
    const words = wordsOf(refused.output);
    expect(words).toContain('The token belongs to Another bot, a private bot.');
    expect(words).toContain('Discord gives the bot no access to a server (code 50001).');
    expect(words).toContain('that DISCORD_TOKEN is that of the bot there, or add it with its invite link.');
    expect(words).toContain(`client_id=${world.discord.applicationId}`);
    for (const guild of world.discord.world.guilds.values()) guild.installed = false;
    const alone = await setUp(newFolder(), settings);
    expect(alone).toEqual({ code: 0, output: expect.stringContaining('The bot is on no server yet.') });
  });

  it('npm run setup names what could harm the bot in the settings of its application', {
    tags: ['breadth'],
  }, async () => {
    const application = {
      bot_public: true,
      bot_require_code_grant: true,
      interactions_endpoint_url: 'https://a.example',
    };
    const world = await newWorld({ discord: { application } });
    const { code, output } = await setUp(newFolder(), { ...settingsOf(world), DISCORD_MESSAGE_CONTENT: 'on' });
    expect(output).toContain('!! Public Bot is on:');
    expect(output).toContain('!! Requires OAuth2 Code Grant is on');
    expect(output).toContain('!! Discord sends the commands to an Interactions Endpoint URL');
    expect(wordsOf(output)).toContain('the bot does not have the Message Content intent.');
    expect(code).toBe(0);
  });

  it('npm run setup -- --yes keeps the rest of .env as it is, overwrites no value, and names a model that the gateway does not list', {
    tags: ['breadth'],
  }, async () => {
    const world = await newWorld();
    const folder = newFolder();
    const { DISCORD_TOKEN, ...settings } = settingsOf(world);
    const own = `# mine\nexport LOG_LEVEL=debug # noisy\nDISCORD_TOKEN=\nTOTAL_BUDGET='$1 a day'\nDEFAULT_MUSIC_MODEL=no-such-model`;
    writeFileSync(join(folder, '.env'), own, { mode: 0o644 });
    expect(await setUp(folder, { ...settings, DISCORD_TOKEN: DISCORD_TOKEN ?? '' })).toEqual({
      code: 0,
      output: expect.stringContaining('The gateway does not list this model. Correct DEFAULT_MUSIC_MODEL.'),
    });
    const text = readFileSync(join(folder, '.env'), 'utf8');
    expect(text).toContain(own.replace('TOKEN=', `TOKEN=${DISCORD_TOKEN}`));
    expect(envIn(folder)).toMatchObject({ ...settings, LOG_LEVEL: 'debug', TOTAL_BUDGET: '$1 a day' });
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    const conflict = await setUp(folder, { GATEWAY_API_KEY: KEY_WITHOUT_MODELS });
    expect(conflict).toEqual({ code: 78, output: expect.stringContaining('.env has another GATEWAY_API_KEY than') });
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(text);
  });
});

describe('What npm run setup -- --yes says if something is wrong', { tags: ['breadth'] }, () => {
  let settings: Record<string, string> = {};
  let page = '';
  let closedPort = 0;
  // Shared by all of its tests.
  beforeAll(async () => {
    const discord = await startDiscord();
    const gateway = await startGateway({ keys });
    settings = settingsOf({ discord, gateway });
    const website = createServer((_request, response) => response.end('<!doctype html><title>A shop</title>'));
    await once(website.listen(0, '127.0.0.1'), 'listening');
    page = `http://127.0.0.1:${(website.address() as AddressInfo).port}`;
    closedPort = await freePort();
    return () => Promise.all([website.close(), discord.close(), gateway.close()]);
  });

  it.for<[string, () => Record<string, string>, number, string]>([
    [
      'missing settings',
      () => ({ DISCORD_TOKEN: '', GATEWAY_API_KEY: '' }),
      78,
      'DISCORD_TOKEN is required: the bot token',
    ],
    ['a misspelled name', () => ({ GATEWAY_API_KYE: KEY }), 78, 'Did you mean GATEWAY_API_KEY?'],
    ['a wrong token', () => ({ DISCORD_TOKEN: 'MTIz.wrong.token' }), 77, 'Create a new token in the developer portal'],
    ['no Discord', () => ({ DISCORD_API_URL: `http://127.0.0.1:${closedPort}/api` }), 75, 'Discord cannot be reached.'],
    ['a page in place of Discord', () => ({ DISCORD_API_URL: `${page}/api` }), 78, 'other than Discord’s API'],
    ['an expired key', () => ({ GATEWAY_API_KEY: 'sk-expired' }), 77, 'The gateway rejects the key'],
    ['a wrong path', () => ({ GATEWAY_BASE_URL: `${settings.GATEWAY_BASE_URL}/docs` }), 78, 'There is no gateway at'],
    [
      'a wrong path with /v1',
      () => ({ GATEWAY_BASE_URL: `${settings.GATEWAY_BASE_URL}/docs/v1` }),
      78,
      'There is no gateway at',
    ],
    ['a website', () => ({ GATEWAY_BASE_URL: page }), 78, 'There is no gateway at'],
    [
      'no gateway',
      () => ({ GATEWAY_BASE_URL: `http://127.0.0.1:${closedPort}` }),
      75,
      'Check the address and the network',
    ],
    ['no models', () => ({ GATEWAY_API_KEY: KEY_WITHOUT_MODELS }), 78, 'lists no models for this key'],
  ])(
    'npm run setup -- --yes explains %s in one sentence, exits with the right code, and writes nothing',
    async ([_name, wrong, expectedCode, sentence]) => {
      const folder = newFolder();
      const { code, output } = await setUp(folder, { ...settings, ...wrong() });
      expect({ code, words: wordsOf(output) }).toEqual({
        code: expectedCode,
        words: expect.stringContaining(sentence),
      });
      expect(output).not.toContain('    at ');
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

/** Types into a real terminal, of which util-linux's `script` makes the other end. */
function openTerminal(program: string, folder: string, settings: Record<string, string>) {
  const { child, code, output } = run('script', ['-qefc', program, '/dev/null'], folder, {
    ...settings,
    TERM: 'xterm',
  });
  let read = 0;
  return {
    code,
    output,
    /** Waits for a question, which is marked until it is answered, and types. */
    answer(question: string, keys: string): Promise<void> {
      return this.type(`◆ ${question}`, keys);
    },
    /** Waits for words, and types. */
    async type(words: string, keys: string): Promise<void> {
      await expect.poll(() => wordsOf(output()).indexOf(words, read)).toBeGreaterThanOrEqual(0);
      read = wordsOf(output()).length;
      child.stdin.write(keys);
    },
  };
}

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
const skipNote = hasScript ? '' : ' (skipped: the script of util-linux is not installed)';
const CTRL_C = '\u0003';
const setupProgram = [process.execPath, ...setupArgs].join(' ');

describe.skipIf(!hasScript)(`npm run setup in a terminal${skipNote}`, () => {
  it('npm run setup leaves nothing behind after Ctrl-C, asks again after wrong responses, waits for the server, and keeps everything the second time', {
    tags: ['breadth'],
  }, async () => {
    const world = await newWorld({ gateway: { profile: 'stock', keys: [{ key: KEY }] } });
    const { discord, gateway } = world;
    for (const guild of discord.world.guilds.values()) guild.installed = false;
    const folder = newFolder();
    const settings = { DISCORD_API_URL: discord.apiUrl };
    const stopped = openTerminal(setupProgram, folder, settings);
    await stopped.answer('Bot token (not shown)', `${discord.token}\r`);
    await stopped.answer('Address of the gateway', `${gateway.url}\r`);
    await stopped.answer('Key (not shown)', CTRL_C);
    expect(await stopped.code).toBe(130);
    expect(stopped.output()).toContain('Nothing was written. To start again: npm run setup');
    expect(readdirSync(folder)).toEqual([]);

    const first = openTerminal(setupProgram, folder, settings);
    await first.answer('Bot token (not shown)', 'MTIz.wrong.token\r');
    await first.answer('Bot token (not shown)', `${discord.token}\r`);
    await first.answer('Address of the gateway', `${gateway.url}/docs\r`);
    await first.answer('Key (not shown)', `${KEY}\r`);
    await first.answer(`Address of the gateway ${gateway.url}`, '\r');
    await first.answer('Use these prices for estimates and limits?', 'y');
    await first.answer('Use these models where a member names none?', 'n');
    await first.answer('Model for /image', 'lumen-image-1-2K\r');
    for (const command of ['/video', '/music', '/ask', '/talk']) await first.answer(`Model for ${command}`, '\r');
    await first.answer('Keep these limits?', 'n');
    await first.answer('Whole bot', 'a lot\r');
    await first.answer('Whole bot', '$3 a day\r');
    for (const who of ['Each server', 'Each member on a server', 'Each member in direct messages'])
      await first.answer(who, '\r');
    await first.type('Enter skips this.', '');
    discord.world.guild('atelier').installed = true;
    await first.answer('Start the bot now?', 'n');
    expect(await first.code).toBe(0);
    expect(wordsOf(first.output())).toContain(
      'The bot answers direct messages. To turn that off, set DISCORD_MENTIONS=off.',
    );
    expect(wordsOf(first.output())).toContain('!! It should be limits such as');
    expect(first.output()).toContain('On atelier, the bot has all the permissions it needs');
    expect(envIn(folder)).toMatchObject({
      DISCORD_TOKEN: discord.token,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY: KEY,
      GATEWAY_PRICING_PATH: '/api/pricing',
      DEFAULT_IMAGE_MODEL: 'lumen-image-1-2K',
      TOTAL_BUDGET: '$3 a day',
    });

    const text = readFileSync(join(folder, '.env'), 'utf8');
    expect(text).toContain("\nTOTAL_BUDGET='$3 a day'\n");
    const second = openTerminal(setupProgram, folder, settings);
    for (const name of ['DISCORD_TOKEN', 'GATEWAY_BASE_URL', 'GATEWAY_API_KEY'])
      await second.answer(`${name} is set. Keep it?`, '\r');
    await second.answer('Keep these limits?', '\r');
    await second.answer('Start the bot now?', CTRL_C);
    expect(await second.code).toBe(130);
    expect(second.output()).toContain('.env needs no change.');
    expect(second.output()).toContain('To go on: npm run setup');
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(text);
    // The colours are readable on light and on dark backgrounds, because no background is set.
    for (const { output } of [stopped, first, second]) expect(output()).not.toMatch(/\[(?:\d+;)*(?:4|10)\dm/);
    for (const { output } of [stopped, first, second])
      for (const secret of [discord.token, KEY, 'wrong.token']) expect(output()).not.toContain(secret);
  });

  it('The three commands of the README bring a new user from a checkout to a finished image within five minutes; npm ci is represented by the installed packages', {
    timeout: 5 * 60_000,
    tags: ['breadth'],
  }, async () => {
    const world = await newWorld({ gateway: { speed: 20 } });
    const { discord, gateway } = world;
    const checkout = newFolder();
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('```sh\nnpm ci\nnpm run setup\nnpm start\n```');
    for (const name of ['package.json', '.npmrc', 'node_modules', 'scripts', 'src', '.env.example'])
      symlinkSync(join(root, name), join(checkout, name));
    const terminal = openTerminal('npm run setup && npm start', checkout, { DISCORD_API_URL: discord.apiUrl });
    await terminal.answer('Bot token (not shown)', `${discord.token}\r`);
    await terminal.answer('Address of the gateway', `${gateway.url}\r`);
    await terminal.answer('Key (not shown)', `${KEY}\r`);
    await terminal.answer('Use these models where a member names none?', '\r');
    await terminal.answer('Keep these limits?', '\r');
    await terminal.answer('Start the bot now?', 'n');
    await terminal.type('Atelier is ready.', '');
    const exchange = await discord.as('member').slash('image', { prompt: 'a fox' });
    expect((await exchange.message(says('Finished in'))).attachments).toHaveLength(1);
    await terminal.type('', CTRL_C);
    await terminal.code;
    expect(terminal.output()).toContain('Atelier has stopped.');
  });
});
