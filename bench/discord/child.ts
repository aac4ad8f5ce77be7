import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Hardly any response takes this long; a benchmark that hangs fails after this time. */
const WAIT_LIMIT_MS = 40_000;
/** The bot gives running work ten seconds to finish. */
const EXIT_LIMIT_MS = 12_000;

export interface StartOptions {
  environment?: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
  programArguments?: readonly string[];
}

/** Starts a separate process, which inherits only PATH from this environment. */
export function start(file: URL, options: StartOptions = {}): ChildProcess {
  const { environment = {}, nodeOptions = [], programArguments = [] } = options;
  return fork(fileURLToPath(file), programArguments, {
    env: { PATH: process.env.PATH, ...environment },
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Resolves with the next message from the process. */
export async function messageFrom<Message>(child: ChildProcess, limitMs = WAIT_LIMIT_MS): Promise<Message> {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(limitMs)]);
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`A measured process ended early with code ${String(code)}.`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message as Message;
  } finally {
    controller.abort();
  }
}

/** Asks a process to exit and waits until it has; one that does not react is killed. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}
