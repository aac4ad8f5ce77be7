import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { nodeArguments } from '../as-started.ts';

export interface StartedBot {
  process: ChildProcess;
  startedAt: number;
  /** When it reported that it was ready, and how many live tasks it had then. */
  ready: Promise<{ at: number; tasks: number }>;
}

const READY_MESSAGE = 'Atelier is ready.';

/** Starts the shipped bot as `npm start` does. It inherits only PATH from this environment. */
export function startBot(settings: Readonly<Record<string, string>>, nodeOptions: readonly string[] = []): StartedBot {
  const startedAt = Date.now();
  const process = forkBot(settings, nodeOptions);
  return { process, startedAt, ready: readyOf(process) };
}

function forkBot(settings: Readonly<Record<string, string>>, nodeOptions: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL('../../src/index.ts', import.meta.url)), [], {
    env: { PATH: process.env.PATH, ...settings },
    execArgv: [...nodeArguments, ...nodeOptions],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

async function readyOf({ stdout }: ChildProcess): Promise<{ at: number; tasks: number }> {
  if (!stdout) throw new Error('The bot has no output.');
  const { promise, resolve, reject } = Promise.withResolvers<{ at: number; tasks: number }>();
  const lines = createInterface(stdout);
  const output: string[] = [];
  lines.on('line', (line) => {
    const { msg, time, tasks } = JSON.parse(line) as { msg?: string; time: number; tasks: number };
    if (msg === READY_MESSAGE) resolve({ at: time, tasks });
    else output.push(line);
  });
  lines.on('close', () => reject(new Error(`The bot ended before it was ready:\n${output.join('\n')}`)));
  return promise;
}
