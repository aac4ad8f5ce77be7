import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configVariables, secretVariables } from '../../src/config.ts';
import { fileVariable } from '../../src/lib/secret.ts';
import { createFixture, GATEWAY_API_KEY } from '../e2e/bot.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** An empty variable counts as unset, but keeps Node from reading its value from a developer's `.env`. */
const emptySettings = Object.fromEntries(
  [...configVariables, ...secretVariables.map(fileVariable)].map((name) => [name, '']),
);

/** The parent pid of each process. The name of a process, in parentheses, may contain anything. */
function parentPids(): Map<number, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        return [[Number(pid), Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])] as const];
      } catch {
        // The process has just ended.
        return [];
      }
    }),
  );
}

function descendants(pid: number, all = parentPids()): number[] {
  const children = [...all].filter(([, parent]) => parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...descendants(child, all)]);
}

function startNpm(args: readonly string[], settings: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-npm-'));
  const child = spawn('npm', args, {
    cwd: root,
    env: { ...process.env, ...emptySettings, TMPDIR: folder, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('npm did not start.');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // This event is emitted once the last process that writes to npm's pipes has ended.
  const closeEvent = once(child, 'close');
  onTestFinished(async () => {
    for (const one of startedPids) if (isAlive(one)) process.kill(one, 'SIGKILL');
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
    await closeEvent;
    rmSync(folder, { recursive: true });
  });
  let startedPids: number[] = [];
  return {
    folder,
    log: () => output,
    /** Sends SIGTERM only to npm itself. Returns the pids of everything that npm had started. */
    async stop(): Promise<number[]> {
      startedPids = descendants(pid);
      process.kill(pid, 'SIGTERM');
      await closeEvent;
      return startedPids;
    },
  };
}

const isAlive = (pid: number): boolean => parentPids().has(pid);

describe.skipIf(process.platform !== 'linux')('SIGTERM on npm (skipped if there is no /proc)', () => {
  it('A bot that was started with npm start stops gracefully, and nothing is left running', async () => {
    const { discord, gateway, config } = await createFixture();
    const bot = startNpm(['start'], {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY,
      STORE_URL: config.store.url,
    });
    await expect.poll(bot.log).toContain('Atelier is ready.');
    const startedPids = await bot.stop();
    expect(startedPids.length).toBeGreaterThan(0);
    await expect.poll(() => startedPids.filter(isAlive)).toEqual([]);
    expect(bot.log()).toContain('Atelier has stopped.');
  });

  it('npm run sandbox stops its bot and removes its files, and nothing is left running', async () => {
    const sandbox = startNpm(['run', 'sandbox', '--', '--port', '0']);
    await expect.poll(sandbox.log).toContain('Ready in');
    const startedPids = await sandbox.stop();
    // npm has started at least the sandbox and its bot.
    expect(startedPids.length).toBeGreaterThan(1);
    await expect.poll(() => startedPids.filter(isAlive)).toEqual([]);
    expect(readdirSync(sandbox.folder).filter((name) => name.startsWith('atelier-'))).toEqual([]);
  });

  it('npm run sandbox:gateway leaves nothing running', async () => {
    const gateway = startNpm(['run', 'sandbox:gateway', '--', '--port', '0']);
    await expect.poll(gateway.log).toContain('is listening on');
    const startedPids = await gateway.stop();
    expect(startedPids.length).toBeGreaterThan(0);
    await expect.poll(() => startedPids.filter(isAlive)).toEqual([]);
  });
});
