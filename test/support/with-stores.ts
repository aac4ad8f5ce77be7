import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type StoreServer, startPostgres, startRedis } from './store-servers.ts';

// Runs a command with its own Redis and Postgres on loopback, whose data folder is removed afterwards:
// npm run with-stores -- [--durable] npx vitest run test/services/store

/** The exit code for wrong usage, from sysexits.h. */
const EX_USAGE = 64;

const print = (text: string): boolean => process.stderr.write(`${text}\n`);

async function run(args: readonly string[]): Promise<number> {
  const isDurable = args[0] === '--durable';
  const [command, ...rest] = isDurable ? args.slice(1) : args;
  if (command === undefined) {
    print('Usage: npm run with-stores -- [--durable] <command> [arguments]');
    return EX_USAGE;
  }
  const folder = mkdtempSync(join(tmpdir(), 'atelier-servers-'));
  // The user that Postgres runs as must be able to reach its data folder.
  chmodSync(folder, 0o755);
  const servers: StoreServer[] = [];
  let child: ChildProcess | undefined;
  let isInterrupted = false;
  // A signal to this process ends the command first; then everything is cleaned up here.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      isInterrupted = true;
      child?.kill(signal);
    });
  try {
    const urls: Record<string, string> = {};
    for (const [variable, start] of [
      ['TEST_REDIS_URL', startRedis],
      ['TEST_POSTGRES_URL', startPostgres],
    ] as const) {
      const dataFolder = join(folder, variable);
      mkdirSync(dataFolder);
      const password = randomBytes(12).toString('hex');
      const server = await start({ folder: dataFolder, port: await freePort(), password, isDurable });
      if (!server) continue;
      servers.push(server);
      urls[variable] = server.url;
    }
    if (isInterrupted) return 1;
    child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, ...urls } });
    const [code] = await once(child, 'exit');
    return typeof code === 'number' ? code : 1;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run(process.argv.slice(2));
