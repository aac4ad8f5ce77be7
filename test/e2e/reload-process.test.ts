import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createTemporaryFolder } from '../services/store/store-fixture.ts';
import { shippedArgs } from '../support/shipped.ts';
import { createFixture, type Fixture } from './bot.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const argsOf = (entry: string): string[] =>
  shippedArgs(entry, './scripts/env-file.mjs').map((one) => (one.startsWith('--') ? one : join(root, one)));

/** Runs a shipped file in a folder of its own, without a terminal, as a service does. */
function run(entry: string, folder: string) {
  const child = spawn(process.execPath, argsOf(entry), {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', GATEWAY_CONNECTIONS: '7' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const exitCode = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitCode;
  });
  return { child, exitCode };
}

async function startBot({ environment }: Fixture) {
  const folder = createTemporaryFolder();
  const write = (changes: Record<string, string>): void =>
    writeFileSync(
      join(folder, '.env'),
      Object.entries({ ...environment, ...changes })
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
  write({});
  const bot = run('src/index.ts', folder);
  let output = '';
  for (const stream of [bot.child.stdout, bot.child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await expect.poll(() => output).toContain('Atelier is ready.');
  return { ...bot, write, folder, output: () => output };
}

async function npmReload(folder: string) {
  const { child, exitCode } = run('scripts/reload.ts', folder);
  const [out, problems] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  return { code: await exitCode, out, problems };
}

it.skipIf(process.platform === 'win32')(
  'npm run reload and SIGHUP read .env again, and say what was taken over, what needs a restart, and what is wrong, SIGHUP in the log',
  async () => {
    const fixture = await createFixture();
    const bot = await startBot(fixture);
    bot.write({ DEFAULT_MEMBER_BUDGET: '1 task a day', GATEWAY_CONNECTIONS: '9', HTTP_HOST: '::1' });
    expect(await npmReload(bot.folder)).toEqual({
      code: 0,
      out: 'Took over DEFAULT_MEMBER_BUDGET.\nOnly a restart takes over HTTP_HOST.\n',
      problems: '',
    });
    bot.write({ DEFAULT_MEMBER_BUDGET: '1 task a day', TOTAL_BUDGET: 'secret', LOG_LEVEL: 'silent' });
    const { code, out, problems } = await npmReload(bot.folder);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(problems).toMatch(/^Nothing was changed, because of invalid settings\.\nTOTAL_BUDGET should be limits/);
    expect(problems + bot.output()).not.toContain('secret');
    bot.write({ TOTAL_BUDGET: 'secret', MEMBER_RATE: 'often' });
    bot.child.kill('SIGHUP');
    await expect
      .poll(bot.output)
      .toMatch(/"problems":\["Nothing was changed.*"TOTAL_BUDGET should .*"MEMBER_RATE should /);
    bot.write({ LOG_LEVEL: 'warn', TOTAL_BUDGET: '3 tasks a day' });
    bot.child.kill('SIGHUP');
    await expect
      .poll(async () => (await npmReload(bot.folder)).out)
      .toBe('No setting that can be taken over has changed.\n');
    bot.child.kill('SIGTERM');
    expect(await bot.exitCode).toBe(0);
    expect(await npmReload(bot.folder)).toMatchObject({ code: 1, problems: expect.stringContaining('No bot answers') });
  },
);
