import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FileRecord } from './coverage.ts';
import type { Failure, Job } from './lane-process.ts';
import type { Mutant } from './mutants.ts';

const PROCESS = fileURLToPath(new URL('./lane-process.ts', import.meta.url));

/** Runs test files with mutants in a process of its own, which can be stopped if a mutant never ends. */
export class Lane {
  readonly #command: string;
  #process: ChildProcess | undefined;

  constructor(command: string) {
    this.#command = command;
  }

  /** Returns the first failure. */
  async run(mutants: readonly Mutant[], files: readonly FileRecord[]): Promise<Failure | undefined> {
    this.#process ??= await startProcess(this.#command);
    const job: Job = { mutants, files };
    this.#process.send(job);
    const { failure } = await nextMessage(this.#process);
    if (failure?.isEndless) this.stop();
    return failure;
  }

  /** Also stops the processes that tests have started. */
  stop(): void {
    if (this.#process?.pid !== undefined) process.kill(-this.#process.pid, 'SIGKILL');
    this.#process = undefined;
  }
}

async function startProcess(command: string): Promise<ChildProcess> {
  const child = fork(PROCESS, [command], { detached: true, stdio: 'ignore' });
  await nextMessage(child);
  return child;
}

async function nextMessage(child: ChildProcess): Promise<{ failure?: Failure }> {
  const settled = new AbortController();
  const { signal } = settled;
  const [message] = await Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })]);
  settled.abort();
  if (typeof message !== 'object' || message === null) throw new Error('Vitest has stopped.');
  return message;
}
