import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Workbench } from '../../../sandbox/web/protocol.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const WAIT = { timeout: 50_000, interval: 50 };

interface Run {
  readonly child: ChildProcess;
  /** The temporary folder of this run only. */
  readonly folder: string;
  printed(): string;
  readonly ended: Promise<number | null>;
  /** Signals the whole process group, as Ctrl-C in a terminal does. */
  press(signal: NodeJS.Signals): void;
}

function run(args: readonly string[], environment: Record<string, string> = {}): Run {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-start-'));
  const child = spawn('npm', ['run', '--silent', 'sandbox', '--', ...args], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const press = (signal: NodeJS.Signals): void => {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !isOver) process.kill(-child.pid, signal);
  };
  onTestFinished(async () => {
    press('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  // Some versions of npm print notices.
  const printed = (): string => output.replace(/^npm .*\n/gm, '');
  return { child, folder, printed, ended, press };
}

async function here(one: Run): Promise<{ url: string; token: string; bench(): Promise<Workbench> }> {
  await expect.poll(one.printed, WAIT).toContain('Ready in');
  const [, url = '', token = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/#(\S+)/.exec(one.printed()) ?? [];
  const bench = async (): Promise<Workbench> => {
    const answer = await fetch(`${url}/api/workbench`, { headers: { authorization: `Bearer ${token}` } });
    return (await answer.json()) as Workbench;
  };
  return { url, token, bench };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const left = ({ folder }: Run) => readdirSync(folder).filter((name) => name.startsWith('atelier-'));

describe('npm run sandbox', () => {
  it('The sandbox prints its URL and its start time, serves the page and cleans up on Ctrl-C', async () => {
    const operators = { DISCORD_TOKEN: 'MTIz.the-operators.own', GATEWAY_USAGE_UNIT: 'cents', LOG_LEVEL: 'trace' };
    const first = run(['--port', '0'], operators);
    const { url, bench } = await here(first);
    expect(first.printed()).toMatch(
      /^The sandbox is running at http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}\nReady in \d+ ms/,
    );
    const page = await (await fetch(url)).text();
    const script = /src="([^"]+)"/.exec(page)?.[1] ?? '';
    expect((await fetch(new URL(script, url))).headers.get('content-type')).toMatch(/javascript/);

    const { bot, gateway } = await bench();
    expect(bot).toMatchObject({ state: 'running', starts: 1 });
    expect(gateway).toMatchObject({ kind: 'embedded', speed: 4, jobs: [], faults: [] });
    if (process.platform === 'linux') {
      const names = readFileSync(`/proc/${bot.pid}/environ`, 'utf8')
        .split('\0')
        .map((line) => line.split('=')[0]);
      expect(names).toContain('STORE_URL');
      expect(names).not.toContain('LOG_LEVEL');
      expect(names).not.toContain('GATEWAY_USAGE_UNIT');
      expect(readFileSync(`/proc/${bot.pid}/environ`, 'utf8')).not.toContain('the-operators');
    }
    expect(left(first)).toHaveLength(1);
    first.press('SIGINT');
    await first.ended;
    expect(isAlive(bot.pid ?? 0)).toBe(false);
    expect(left(first)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();

    // The second start uses the cached page.
    const second = run(['--port', '0'], operators);
    await here(second);
    expect(second.printed()).not.toContain('build of the page');
    second.press('SIGTERM');
    await second.ended;
    expect(left(second)).toEqual([]);
  }, 120_000);

  it('The bot exits when the sandbox is killed', async () => {
    const one = run(['--port', '0']);
    const { bench } = await here(one);
    const { pid = 0 } = (await bench()).bot;
    expect(isAlive(pid)).toBe(true);
    one.press('SIGKILL');
    await expect.poll(() => isAlive(pid), WAIT).toBe(false);
  }, 60_000);

  it('A sandbox that is stopped during its start cleans up', async () => {
    const one = run(['--port', '0']);
    await expect.poll(() => left(one).length, WAIT).toBe(1);
    one.press('SIGINT');
    await one.ended;
    expect(one.printed()).not.toContain('The sandbox is running');
    expect(left(one)).toEqual([]);
  }, 60_000);

  it.each([
    [['--port', '70000'], /^--port must be a number from 0 to 65535, not 70000\.\n$/],
    [['--speed', 'fast'], /^--speed must be a number from 0\.25 to 50, not fast\.\n$/],
    [['--colour'], /^Unknown option.*--port, --speed, --real-gateway and --help\.\n$/],
    [['--real-gateway'], /^--real-gateway needs GATEWAY_BASE_URL and GATEWAY_API_KEY: set them in .*\n$/],
    [['--help'], /--real-gateway +use the gateway at GATEWAY_BASE_URL/],
  ])('The arguments %j print an error message and start nothing', async (args, sentence) => {
    const one = run(args, { GATEWAY_BASE_URL: '', GATEWAY_API_KEY: '' });
    expect(await one.ended).toBe(args[0] === '--help' ? 0 : args[0] === '--real-gateway' ? 78 : 64);
    expect(one.printed()).toMatch(sentence);
    expect(left(one)).toEqual([]);
  });

  it('A port that is in use is reported with a way to fix it', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const one = run(['--port', String(port)]);
    expect(await one.ended).toBe(64);
    expect(one.printed()).toMatch(new RegExp(`^Port ${port} is in use\\. .*--port.*\n$`));
    expect(left(one)).toEqual([]);
    expect(existsSync(one.folder)).toBe(true);
  }, 60_000);
});
