import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFixture, type Fixture, GATEWAY_API_KEY } from '../e2e/bot.ts';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));
const command = [
  ...['--import', join(scripts, 'check-node.mjs'), '--import', join(scripts, 'compile-cache.mjs')],
  join(scripts, 'setup.ts'),
];

/** An empty folder, in which the set-up writes its `.env`. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const settingsOf = ({ discord, gateway }: Fixture) => ({
  DISCORD_TOKEN: discord.token,
  DISCORD_API_URL: discord.apiUrl,
  GATEWAY_BASE_URL: gateway.url,
  GATEWAY_API_KEY,
});

/** Runs the set-up without questions. */
async function setUp(folder: string, settings: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [...command, '--yes', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, output };
}

const envFile = (folder: string): Record<string, string | undefined> =>
  parseEnv(readFileSync(join(folder, '.env'), 'utf8'));

describe('npm run setup -- --yes', () => {
  it('writes .env, registers the commands, and changes nothing the second time', async () => {
    const fixture = await createFixture({ registersCommands: false });
    const folder = newFolder();
    const settings = settingsOf(fixture);
    const first = await setUp(folder, settings);
    console.log(first.output);
    expect(first).toMatchObject({ code: 0 });
    expect(envFile(folder)).toMatchObject(settings);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(fixture.discord.commands.global().length).toBeGreaterThan(10);
    expect(existsSync(join(folder, '.env'))).toBe(true);
  });
});
