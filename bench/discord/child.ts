import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Hardly any response takes this long; a benchmark that hangs fails after this time. */
const WAIT_LIMIT_MS = 40_000;
/** The bot gives running work ten seconds. */
const EXIT_LIMIT_MS = 12_000;

export interface Start {
  environment?: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
  programArguments?: readonly string[];
}

/** A separate process that gets only PATH from this environment. */
export function start(file: URL, options: Start = {}): ChildProcess {
  const { environment = {}, nodeOptions = [], programArguments = [] } = options;
  return fork(fileURLToPath(file), programArguments, {
    env: { PATH: process.env.PATH, ...environment },
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Resolves with the next message from the process. */
export async function messageFrom<Message>(child: ChildProcess, limitMs = WAIT_LIMIT_MS): Promise<Message> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(limitMs)]);
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`A measured process ended early with code ${String(code)}.`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message as Message;
  } finally {
    over.abort();
  }
}

/** Asks it to exit and waits for that; a process that does not react is killed. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const left = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), EXIT_LIMIT_MS);
  await left;
  clearTimeout(late);
}
