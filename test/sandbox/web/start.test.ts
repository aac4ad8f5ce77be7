import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Workbench, World } from '../../../sandbox/web/protocol.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
interface Run {
  readonly child: ChildProcess;
  /** The temporary folder, which only this run uses. */
  readonly folder: string;
  readOutput(): string;
  readonly ended: Promise<number | null>;
  /** Signals the whole process group, as Ctrl-C in a terminal does. */
  sendSignal(signal: NodeJS.Signals): void;
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
  const sendSignal = (signal: NodeJS.Signals): void => {
    const hasExited = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !hasExited) process.kill(-child.pid, signal);
  };
  onTestFinished(async () => {
    sendSignal('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  // Some versions of npm print notices.
  const readOutput = (): string => output.replace(/^npm .*\n/gm, '');
  return { child, folder, readOutput, ended, sendSignal };
}

async function waitUntilReady(
  sandbox: Run,
): Promise<{ url: string; token: string; fetchWorkbench(): Promise<Workbench> }> {
  await expect.poll(sandbox.readOutput).toContain('Ready in');
  const [, url = '', token = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/#(\S+)/.exec(sandbox.readOutput()) ?? [];
  const fetchWorkbench = async (): Promise<Workbench> => {
    const response = await fetch(`${url}/api/workbench`, { headers: { authorization: `Bearer ${token}` } });
    return (await response.json()) as Workbench;
  };
  return { url, token, fetchWorkbench };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const remainingFolders = ({ folder }: Run) => readdirSync(folder).filter((name) => name.startsWith('atelier-'));

describe('npm run sandbox', () => {
  it('The sandbox prints its URL and its start time, serves the page and cleans up on Ctrl-C', async () => {
    const operatorVariables = {
      DISCORD_TOKEN: 'MTIz.the-operators.own',
      GATEWAY_USAGE_UNIT: 'cents',
      LOG_LEVEL: 'trace',
    };
    const first = run(['--port', '0'], operatorVariables);
    const { url, fetchWorkbench } = await waitUntilReady(first);
    expect(first.readOutput()).toMatch(
      /^The sandbox is running at http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}\nReady in \d+ ms/,
    );
    const page = await (await fetch(url)).text();
    const script = /src="([^"]+)"/.exec(page)?.[1] ?? '';
    expect((await fetch(new URL(script, url))).headers.get('content-type')).toMatch(/javascript/);

    const { bot, gateway } = await fetchWorkbench();
    expect(bot).toMatchObject({ state: 'running', starts: 1 });
    expect(gateway).toMatchObject({ kind: 'embedded', speed: 4, jobs: [], faults: [] });
    if (process.platform === 'linux') {
      const variableNames = readFileSync(`/proc/${bot.pid}/environ`, 'utf8')
        .split('\0')
        .map((line) => line.split('=')[0]);
      expect(variableNames).toContain('STORE_URL');
      expect(variableNames).not.toContain('LOG_LEVEL');
      expect(variableNames).not.toContain('GATEWAY_USAGE_UNIT');
      expect(readFileSync(`/proc/${bot.pid}/environ`, 'utf8')).not.toContain('the-operators');
    }
    expect(remainingFolders(first)).toHaveLength(1);
    first.sendSignal('SIGINT');
    await first.ended;
    expect(isAlive(bot.pid ?? 0)).toBe(false);
    expect(remainingFolders(first)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();

    // The second start uses the cached page.
    const second = run(['--port', '0', '--language', 'de'], operatorVariables);
    const german = await waitUntilReady(second);
    const headers = { authorization: `Bearer ${german.token}` };
    const world = (await (await fetch(`${german.url}/api/world`, { headers })).json()) as World;
    expect([...world.people, ...world.guilds].map(({ locale }) => locale)).toEqual(Array(7).fill('de'));
    expect(second.readOutput()).not.toContain('build of the page');
    second.sendSignal('SIGTERM');
    await second.ended;
    expect(remainingFolders(second)).toEqual([]);
  });

  it('The bot exits when the sandbox is killed', { tags: ['breadth'] }, async () => {
    const sandbox = run(['--port', '0']);
    const { fetchWorkbench } = await waitUntilReady(sandbox);
    const { pid = 0 } = (await fetchWorkbench()).bot;
    expect(isAlive(pid)).toBe(true);
    sandbox.sendSignal('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('A sandbox that is stopped during its start cleans up', { tags: ['breadth'] }, async () => {
    const sandbox = run(['--port', '0']);
    await expect.poll(() => remainingFolders(sandbox).length).toBe(1);
    sandbox.sendSignal('SIGINT');
    await sandbox.ended;
    expect(sandbox.readOutput()).not.toContain('The sandbox is running');
    expect(remainingFolders(sandbox)).toEqual([]);
  });

  it.each([
    [['--port', '70000'], /^--port must be a number from 0 to 65535, not 70000\.\n$/],
    [['--speed', 'fast'], /^--speed must be a number from 0\.25 to 50, not fast\.\n$/],
    [['--language', 'Klingon'], /^--language must be one of en, de, .*, not Klingon\.\n$/],
    [['--colour'], /^Unknown option.*--port, --speed, --language, --real-gateway and --help\.\n$/],
    [['--real-gateway'], /^--real-gateway needs GATEWAY_BASE_URL and GATEWAY_API_KEY: set them in .*\n$/],
    [['--help'], /--real-gateway +use the gateway at GATEWAY_BASE_URL/],
  ])(
    'The arguments %j print a message and do not start the sandbox',
    { tags: ['breadth'] },
    async (args, expectedMessage) => {
      const sandbox = run(args, { GATEWAY_BASE_URL: '', GATEWAY_API_KEY: '' });
      expect(await sandbox.ended).toBe(args[0] === '--help' ? 0 : args[0] === '--real-gateway' ? 78 : 64);
      expect(sandbox.readOutput()).toMatch(expectedMessage);
      expect(remainingFolders(sandbox)).toEqual([]);
    },
  );

  it('The sandbox reports a port that is in use, and how to fix it', { tags: ['breadth'] }, async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void blocker.close());
    const { port } = blocker.address() as { port: number };
    const sandbox = run(['--port', String(port)]);
    expect(await sandbox.ended).toBe(64);
    expect(sandbox.readOutput()).toMatch(new RegExp(`^Port ${port} is in use\\. .*--port.*\n$`));
    expect(remainingFolders(sandbox)).toEqual([]);
    expect(existsSync(sandbox.folder)).toBe(true);
  });
});
