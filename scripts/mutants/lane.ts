import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FileRecord } from './coverage.ts';
import type { Failure, Job } from './lane-process.ts';
import type { Mutant } from './mutants.ts';

const PROCESS = fileURLToPath(new URL('./lane-process.ts', import.meta.url));
/** Added to several times the usual duration before tests count as endless. */
const SPARE_MS = 60_000;
const MAX_SLOWDOWN = 3;
const TIME_LIMIT: Failure = { ms: 0, isTimeout: true };

/** Runs test files with mutants in a process of its own, which can be stopped if a mutant never ends. */
export class Lane {
  readonly #command: string;
  #process: ChildProcess | undefined;

  constructor(command: string) {
    this.#command = command;
  }

  /** Returns the first failure. */
  async run(mutants: readonly Mutant[], records: readonly FileRecord[]): Promise<Failure | undefined> {
    this.#process ??= await startProcess(this.#command);
    const usualMs = records.reduce((sum, { ms }) => sum + ms, 0);
    const timeLimit = AbortSignal.timeout(SPARE_MS + MAX_SLOWDOWN * usualMs);
    const job: Job = { mutants, files: records.map(({ path }) => path) };
    this.#process.send(job);
    try {
      const [{ failure }] = await once(this.#process, 'message', { signal: timeLimit });
      return failure;
    } catch (error) {
      if (!timeLimit.aborted) throw error;
      this.stop();
      return TIME_LIMIT;
    }
  }

  /** Also stops the processes that tests have started. */
  stop(): void {
    if (this.#process?.pid !== undefined) process.kill(-this.#process.pid, 'SIGKILL');
    this.#process = undefined;
  }
}

async function startProcess(command: string): Promise<ChildProcess> {
  const child = fork(PROCESS, [command], { detached: true, stdio: 'ignore' });
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (first !== 'ready') throw new Error('Vitest could not be started.');
  return child;
}
