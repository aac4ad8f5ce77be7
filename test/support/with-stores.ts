import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@redis/client';
import pg from 'pg';

// Runs a command with a Redis and a Postgres of its own, on loopback, in a folder that is removed afterwards:
// npm run with-stores -- [--durable] npx vitest run test/services/store

const START_WAIT_LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** sysexits.h */
const EX_USAGE = 64;
/** Each test uses one of its own. */
const REDIS_DATABASES = 10_000;

interface Server {
  url: string;
  stop(): Promise<void>;
}

interface Request {
  folder: string;
  port: number;
  password: string;
  /** Written to the disk before it is confirmed, as in a production store; tests do without. */
  durable: boolean;
}

const say = (words: string): boolean => process.stderr.write(`${words}\n`);

function found(name: string, ...elsewhere: string[]): string | undefined {
  const folders = [...elsewhere, ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

async function startRedis({ folder, port, password, durable }: Request): Promise<Server | undefined> {
  const program = found('redis-server');
  if (!program) return void say('There is no redis-server here: what needs one is left out.');
  const settings = {
    ...{ port, bind: '127.0.0.1', dir: folder, requirepass: password, databases: REDIS_DATABASES, save: '' },
    ...{ appendonly: durable ? 'yes' : 'no', daemonize: 'no' },
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = started(program, args);
  const url = `redis://:${password}@127.0.0.1:${port}`;
  await answers(server, async () => {
    const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => undefined);
    await client.connect();
    client.destroy();
  });
  return { url, stop: () => stopped(server, 'SIGTERM') };
}

/** It refuses to run as root, so root runs it as another user. */
function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].map((name) => users.find(([known]) => known === name)).find(Boolean);
  return user && { uid: Number(user[2]), gid: Number(user[3]) };
}

async function startPostgres({ folder, port, password, durable }: Request): Promise<Server | undefined> {
  const newest = globSync('/usr/lib/postgresql/*/bin').sort().reverse();
  const [initdb, program] = [found('initdb', ...newest), found('postgres', ...newest)];
  if (!initdb || !program) return void say('There is no postgres here: what needs one is left out.');
  const user = postgresUser();
  const [secret, data] = [join(folder, 'password'), join(folder, 'data')];
  writeFileSync(secret, password);
  if (user) for (const path of [folder, secret]) chownSync(path, user.uid, user.gid);
  const as: SpawnOptions = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' }, ...user };
  const auth = ['--auth=scram-sha-256', `--pwfile=${secret}`, '--username=atelier', '--encoding=UTF8', '--no-sync'];
  const made = spawnSync(initdb, ['-D', data, ...auth], { ...as, stdio: 'pipe', encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`No Postgres could be set up: ${made.stderr}`);
  const lasting = durable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
  const args = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'max_connections=300'];
  const server = started(program, [...args, ...lasting], as);
  const url = `postgresql://atelier:${password}@127.0.0.1:${port}/postgres`;
  await answers(server, async () => {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    await client.connect();
    await client.end();
  });
  return { url, stop: () => stopped(server, 'SIGINT') };
}

function started(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(program, [...args], { ...options, stdio: 'ignore' });
}

async function answers({ exitCode }: ChildProcess, ask: () => Promise<void>): Promise<void> {
  const end = Date.now() + START_WAIT_LIMIT_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (exitCode !== null || Date.now() > end) throw error;
      await pause(LOOK_EVERY_MS);
    }
  }
}

async function stopped(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

async function run(args: readonly string[]): Promise<number> {
  const durable = args[0] === '--durable';
  const [command, ...rest] = durable ? args.slice(1) : args;
  if (command === undefined) {
    say('Say what to run: npm run with-stores -- [--durable] <command> [arguments]');
    return EX_USAGE;
  }
  const folder = mkdtempSync(join(tmpdir(), 'atelier-servers-'));
  // The user that Postgres runs as must be able to reach its data folder.
  chmodSync(folder, 0o755);
  const servers: Server[] = [];
  let child: ChildProcess | undefined;
  let isOver = false;
  // A signal to this process ends the command first; then everything is cleaned up here.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      isOver = true;
      child?.kill(signal);
    });
  try {
    const urls: Record<string, string> = {};
    for (const [variable, start] of [
      ['TEST_REDIS_URL', startRedis],
      ['TEST_POSTGRES_URL', startPostgres],
    ] as const) {
      const own = join(folder, variable);
      mkdirSync(own);
      const password = randomBytes(12).toString('hex');
      const server = await start({ folder: own, port: await freePort(), password, durable });
      if (!server) continue;
      servers.push(server);
      urls[variable] = server.url;
    }
    if (isOver) return 1;
    child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, ...urls } });
    const [code] = await once(child, 'exit');
    return typeof code === 'number' ? code : 1;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run(process.argv.slice(2));
