import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { kindSpecs } from '../../../src/commands/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { examine } from '../../../src/services/store/examination/examination.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { freePort } from '../../support/free-port.ts';
import { killAtExit } from '../../support/kill-at-exit.ts';
import { cacheArgs } from '../../support/shipped.ts';
import { createTemporaryFolder, makeTask } from './store-fixture.ts';
import { canTrace, cutPower, traceArgs } from './synced-files.ts';

const writer = fileURLToPath(new URL('confirmed-writer.ts', import.meta.url));
const TASKS = 200;

function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  killAtExit(child);
  onTestFinished(() => end(child));
  return child;
}

async function end(child: ChildProcess, pid = child.pid): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(pid, 'SIGKILL');
  await ended;
}

/** Reads confirmed IDs for as long as the writer runs. */
function readConfirmed(child: ChildProcess): string[] {
  const ids: string[] = [];
  if (child.stdout) createInterface(child.stdout).on('line', (line) => ids.push(line));
  return ids;
}

const sizesOf = (...paths: string[]) =>
  new Map(paths.filter((path) => existsSync(path)).map((path) => [path, statSync(path).size]));

/** The process that a tracer started. */
const traced = (tracer: ChildProcess): number => {
  const [pid] = readFileSync(`/proc/${tracer.pid}/task/${tracer.pid}/children`, 'utf8').split(' ');
  return Number(pid);
};

/** Expects these tasks, and that no change was cut in half: the doctor finds nothing. */
async function expectStored(url: string, ids: readonly string[]): Promise<void> {
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const address = { url, scheme: url.split(':')[0] ?? '' };
  const parts = { specs: kindSpecs, log, clock: systemClock };
  expect((await examine(address, { ...parts, repair: false })).findings).toEqual([]);
  const store = await openStore(address, parts);
  try {
    const tasks = await Promise.all(ids.map((id) => store.get(id)));
    expect(ids.filter((_, index) => tasks[index] === undefined)).toEqual([]);
  } finally {
    await store.close();
  }
}

const reason = canTrace ? '' : ' (skipped: strace is not installed, or may not trace here)';

describe.skipIf(!canTrace)(`A power cut${reason}`, () => {
  it('A power cut loses no task that SQLite has confirmed, and leaves no half of a change, whenever it comes', async () => {
    const folder = createTemporaryFolder();
    const file = join(folder, 'atelier.sqlite');
    const url = `sqlite://${file}`;
    const confirmed: string[] = [];
    for (let round = 0; round < 3; round++) {
      const trace = join(folder, `trace-${round}`);
      const sizes = sizesOf(file, `${file}-wal`);
      const args = [...cacheArgs, writer, url, JSON.stringify(makeTask())];
      const tracer = start('strace', traceArgs(trace, process.execPath, ...args));
      const ids = readConfirmed(tracer);
      await expect.poll(() => ids.length).toBeGreaterThan(TASKS);
      await end(tracer, traced(tracer));
      cutPower(trace, (path) => /\.sqlite(?:-wal)?$/.test(path), sizes);
      confirmed.push(...ids);
      await expectStored(url, confirmed);
    }
  });

  const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
  it.skipIf(!hasRedis)(
    'A power cut loses no task that Redis has confirmed with the settings of compose.yaml, and leaves no half of a change (needs redis-server)',
    async () => {
      const folder = createTemporaryFolder();
      const data = join(folder, 'data');
      mkdirSync(data);
      const port = await freePort();
      const url = `redis://127.0.0.1:${port}/0`;
      const { services } = parse(readFileSync('compose.yaml', 'utf8'));
      const [program = '', ...settings]: string[] = services.redis.command;
      const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', data];
      const ready = async (): Promise<boolean> => {
        const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => undefined);
        try {
          await client.connect();
          return (await client.ping()) === 'PONG';
        } catch {
          return false;
        } finally {
          if (client.isOpen) client.destroy();
        }
      };
      const trace = join(folder, 'trace');
      const tracer = start('strace', traceArgs(trace, program, ...settings, ...place));
      await expect.poll(ready).toBe(true);
      const writing = start(process.execPath, [...cacheArgs, writer, url, JSON.stringify(makeTask())]);
      const ids = readConfirmed(writing);
      await expect.poll(() => ids.length).toBeGreaterThan(TASKS);
      await end(tracer, traced(tracer));
      await end(writing);
      cutPower(trace, (path) => path.endsWith('.incr.aof'), new Map());

      start(program, [...settings, ...place]);
      await expect.poll(ready).toBe(true);
      await expectStored(url, ids);
    },
  );
});
