import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { cacheArgs } from '../../support/shipped.ts';

export interface Child {
  kill(): Promise<void>;
}

/** Starts a program in a separate process, and resolves once the program reports that it is ready. */
export async function startChild(program: string, ...args: string[]): Promise<Child> {
  const child = spawn(process.execPath, [...cacheArgs, '--input-type=module', '-e', program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  await waitUntilReady(child);
  return { kill };
}

async function waitUntilReady({ stdout }: ChildProcess): Promise<void> {
  let output = '';
  for await (const chunk of stdout ?? []) {
    output += String(chunk);
    if (output.includes('ready')) return;
  }
  throw new Error(`The child ended without being ready: ${output}`);
}

/** Keeps a write open in the database until it is killed. */
export const HOLD_WRITE_PROGRAM = `
  import { DatabaseSync } from 'node:sqlite';
  const database = new DatabaseSync(process.argv[1]);
  database.exec('BEGIN IMMEDIATE');
  console.log('ready');
  setInterval(() => database.isOpen, 1000);
`;

/** Opens the store as a bot does, stores a task if one is given, and holds the store until it is killed. */
export const HOLD_STORE_PROGRAM = `
  const [url, store, log, commands, task] = process.argv.slice(1);
  const { openStore } = await import(store);
  const { createLogger } = await import(log);
  const { kindSpecs } = await import(commands);
  const clock = { now: () => Date.now(), after: () => () => undefined };
  const quiet = createLogger({ level: 'silent', secrets: [], isPretty: true, write: () => undefined });
  const kept = await openStore({ url, scheme: url.split(':')[0] }, { specs: kindSpecs, log: quiet, clock });
  if (task) await kept.put(JSON.parse(task));
  console.log('ready');
  setInterval(() => kept, 1000);
`;

/** Opens a partitioned store, acquires the given partitions, and holds them until it is killed. */
export const HOLD_PARTITIONS_PROGRAM = `
  const [url, store, log, commands, ...wanted] = process.argv.slice(1);
  const { nameHolder } = await import(new URL('holder.ts', store));
  const { openPartitions } = await import(new URL('partitions.ts', store));
  const { createLogger } = await import(log);
  const { kindSpecs } = await import(commands);
  const clock = { now: () => Date.now(), after: () => () => undefined };
  const quiet = createLogger({ level: 'silent', secrets: [], isPretty: true, write: () => undefined });
  const parts = { specs: kindSpecs, log: quiet, clock, partitions: 4, holder: nameHolder() };
  const partitions = await openPartitions({ url, scheme: url.split(':')[0] }, parts);
  const kept = [];
  for (const partition of wanted) kept.push(await partitions.open(Number(partition)));
  console.log('ready');
  setInterval(() => kept, 1000);
`;

export const moduleUrls = ['services/store/open-store.ts', 'lib/log.ts', 'commands/index.ts'].map(
  (path) => new URL(`../../../src/${path}`, import.meta.url).href,
);
