import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { asStarted } from '../as-started.ts';

export interface StartedBot {
  process: ChildProcess;
  startedAt: number;
  /** When it reported that it was ready, and how many live tasks it had then. */
  here: Promise<{ at: number; tasks: number }>;
}

const HERE = 'Atelier is ready.';

/** The shipped bot, started as by `npm start`; of this environment it gets only PATH. */
export function startBot(settings: Readonly<Record<string, string>>, nodeOptions: readonly string[] = []): StartedBot {
  const startedAt = Date.now();
  const process = forkBot(settings, nodeOptions);
  return { process, startedAt, here: hereOf(process) };
}

function forkBot(settings: Readonly<Record<string, string>>, nodeOptions: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL('../../src/index.ts', import.meta.url)), [], {
    env: { PATH: process.env.PATH, ...settings },
    execArgv: [...asStarted, ...nodeOptions],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

async function hereOf({ stdout }: ChildProcess): Promise<{ at: number; tasks: number }> {
  if (!stdout) throw new Error('The bot has no output.');
  const { promise, resolve, reject } = Promise.withResolvers<{ at: number; tasks: number }>();
  const lines = createInterface(stdout);
  const said: string[] = [];
  lines.on('line', (line) => {
    const { msg, time, tasks } = JSON.parse(line) as { msg?: string; time: number; tasks: number };
    if (msg === HERE) resolve({ at: time, tasks });
    else said.push(line);
  });
  lines.on('close', () => reject(new Error(`The bot ended before it was ready:\n${said.join('\n')}`)));
  return promise;
}
