import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@redis/client';
import pg from 'pg';

const START_WAIT_LIMIT_MS = 30_000;
const POLL_INTERVAL_MS = 50;
/** Enough for each test to use a database of its own. */
const REDIS_DATABASES = 10_000;

/** A database server on this machine's loopback interface. */
export interface StoreServer {
  url: string;
  stop(): Promise<void>;
  /** Ends the server abruptly, as a crash would. */
  crash(): Promise<void>;
  /** Starts the server again, with the same data and URL. */
  restart(): Promise<void>;
}

export interface ServerOptions {
  folder: string;
  port: number;
  password: string;
  /** Whether data is written to disk before it is confirmed, as in production; tests do not need that. */
  isDurable: boolean;
}

const print = (text: string): boolean => process.stderr.write(`${text}\n`);

function findProgram(name: string, ...extraFolders: string[]): string | undefined {
  const folders = [...extraFolders, ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Starts Redis. Returns undefined if it is not installed. */
export async function startRedis({
  folder,
  port,
  password,
  isDurable,
}: ServerOptions): Promise<StoreServer | undefined> {
  const program = findProgram('redis-server');
  if (!program) return void print('redis-server is not installed, so everything that needs it is skipped.');
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    requirepass: password,
    databases: REDIS_DATABASES,
    save: '',
    appendonly: isDurable ? 'yes' : 'no',
    appendfsync: 'always',
    daemonize: 'no',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const ping = async (): Promise<void> => {
    const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => undefined);
    await client.connect();
    // Redis only answers pings once it has loaded its data.
    await client.ping().finally(() => client.destroy());
  };
  return startStoreServer({
    url,
    ping,
    start: () => startProcess(program, args),
    stopSignal: 'SIGTERM',
    crashSignal: 'SIGKILL',
  });
}

/** Postgres refuses to run as root, so root runs it as another user. */
function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].map((name) => users.find(([userName]) => userName === name)).find(Boolean);
  return user && { uid: Number(user[2]), gid: Number(user[3]) };
}

/** Starts Postgres. Returns undefined if it is not installed. */
export async function startPostgres({
  folder,
  port,
  password,
  isDurable,
}: ServerOptions): Promise<StoreServer | undefined> {
  const binFolders = globSync('/usr/lib/postgresql/*/bin').sort().reverse();
  const [initdb, program] = [findProgram('initdb', ...binFolders), findProgram('postgres', ...binFolders)];
  if (!initdb || !program) return void print('Postgres is not installed, so everything that needs it is skipped.');
  const user = postgresUser();
  const [secret, data] = [join(folder, 'password'), join(folder, 'data')];
  writeFileSync(secret, password);
  if (user) for (const path of [folder, secret]) chownSync(path, user.uid, user.gid);
  const spawnOptions: SpawnOptions = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' }, ...user };
  const auth = ['--auth=scram-sha-256', `--pwfile=${secret}`, '--username=atelier', '--encoding=UTF8', '--no-sync'];
  const initResult = spawnSync(initdb, ['-D', data, ...auth], { ...spawnOptions, stdio: 'pipe', encoding: 'utf8' });
  if (initResult.status !== 0) throw new Error(`Postgres could not be set up: ${initResult.stderr}`);
  const durabilityArgs = isDurable
    ? []
    : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
  const args = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'max_connections=300'];
  const url = `postgresql://atelier:${password}@127.0.0.1:${port}/postgres`;
  const ping = async (): Promise<void> => {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    await client.connect();
    await client.end();
  };
  const start = (): ChildProcess => startProcess(program, [...args, ...durabilityArgs], spawnOptions);
  // SIGQUIT ends all processes of Postgres immediately; SIGKILL would end only the main one and leave the others running for a moment.
  return startStoreServer({ url, ping, start, stopSignal: 'SIGINT', crashSignal: 'SIGQUIT' });
}

interface ServerParts {
  url: string;
  /** Throws until the server responds. */
  ping(): Promise<void>;
  start(): ChildProcess;
  stopSignal: NodeJS.Signals;
  crashSignal: NodeJS.Signals;
}

async function startStoreServer({ url, ping, start, stopSignal, crashSignal }: ServerParts): Promise<StoreServer> {
  let server: ChildProcess;
  const restart = async (): Promise<void> => {
    server = start();
    await waitUntilReady(server, ping);
  };
  await restart();
  return { url, restart, stop: () => stopProcess(server, stopSignal), crash: () => stopProcess(server, crashSignal) };
}

function startProcess(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(program, [...args], { ...options, stdio: 'ignore' });
}

async function waitUntilReady(server: ChildProcess, ping: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + START_WAIT_LIMIT_MS;
  for (;;) {
    try {
      return await ping();
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error;
      await pause(POLL_INTERVAL_MS);
    }
  }
}

async function stopProcess(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}
