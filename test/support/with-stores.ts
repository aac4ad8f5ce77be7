import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EX_USAGE } from '../../scripts/usage.ts';
import { freePort } from './free-port.ts';
import { type StoreServer, startPostgres, startRedis } from './store-servers.ts';

// Runs a command with its own Redis and Postgres on loopback, whose data folder is removed afterwards:
// npm run with-stores -- [--durable] npx vitest run test/services/store

const USAGE = 'Usage: npm run with-stores -- [--durable] <command> [arguments]';
/** What a shell exits with if it does not find the command. */
const COMMAND_NOT_FOUND = 127;

const print = (text: string): boolean => process.stderr.write(`${text}\n`);

async function run(args: readonly string[]): Promise<number> {
  if (args[0] === '--help') {
    process.stdout.write(`Runs a command with its own Redis and Postgres, which are removed afterwards.\n\n${USAGE}\n`);
    return 0;
  }
  const isDurable = args[0] === '--durable';
  const [command, ...rest] = isDurable ? args.slice(1) : args;
  if (command === undefined || command.startsWith('-')) {
    print(USAGE);
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
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT' && child?.pid === undefined))
      throw error;
    print(`There is no command named ${command}.`);
    return COMMAND_NOT_FOUND;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run(process.argv.slice(2));
