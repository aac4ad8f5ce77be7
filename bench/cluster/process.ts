import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { asStarted } from '../as-started.ts';
import { messageFrom } from '../discord/child.ts';
import type { Strain } from '../text/probe.ts';

export type Role = 'all' | 'shard' | 'worker';

const READY: Readonly<Record<Role, string>> = {
  all: 'Atelier is ready.',
  shard: 'This shard process is ready.',
  worker: 'This worker is ready.',
};
const TAKEN = 'This worker owns another partition.';
const RELEASED = 'This worker released a partition.';
const COLLECTIONS = 3;
const AFTER_COLLECTION_MS = 500;
/** 25 shards that identify one after another take more than two minutes. */
const START_LIMIT_MS = 600_000;
/** The bot gives running work ten seconds. */
const STOP_LIMIT_MS = 30_000;

interface Line {
  msg?: string;
  time: number;
  level: number;
  partition?: number;
}

const WARNING = 40;

/**
 * One process of the shipped bot, started as `npm start` does it, and the leader of a process group. Of this environment it gets only PATH.
 */
export class BotProcess {
  readonly role: Role;
  readonly startedAt = Date.now();
  /** The time at which it took each partition that it owns. */
  readonly owned = new Map<number, number>();
  readonly ended: Promise<number | null>;
  readonly ready: Promise<void>;
  /** Warnings and errors, which may explain a surprising figure. */
  readonly warnings: string[] = [];
  readonly #child: ChildProcess;
  readonly #watchers = new Set<() => void>();

  constructor(role: Role, settings: Readonly<Record<string, string>>, nodeOptions: readonly string[] = []) {
    this.role = role;
    this.#child = fork(fileURLToPath(new URL('../../src/index.ts', import.meta.url)), [], {
      env: { PATH: process.env.PATH, ATELIER_ROLE: role, ...settings },
      execArgv: [...asStarted, ...nodeOptions],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      detached: true,
    });
    const killed = (): void => this.signal('SIGKILL');
    process.once('exit', killed);
    this.ended = once(this.#child, 'exit').then(([code]) => {
      process.off('exit', killed);
      this.#notifyWatchers();
      return code as number | null;
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    promise.catch(() => undefined);
    if (this.#child.stdout)
      createInterface(this.#child.stdout).on('line', (line) => {
        if (this.#note(JSON.parse(line) as Line, line)) resolve();
      });
    const failed = (): void => reject(new Error(`A process did not become ready:\n${this.warnings.join('\n')}`));
    void this.ended.then(failed);
    setTimeout(failed, START_LIMIT_MS).unref();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal to the process and to those that it has started. */
  signal(signal: NodeJS.Signals): void {
    if (this.isAlive) process.kill(-this.pid, signal);
  }

  /** Resolves once `holds` returns true; it is called after every line of the log. */
  async until(holds: () => boolean, limitMs = START_LIMIT_MS): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = (): void => {
      if (holds()) resolve();
      else if (!this.isAlive) reject(new Error(`A ${this.role} has ended:\n${this.warnings.join('\n')}`));
    };
    this.#watchers.add(check);
    const late = setTimeout(
      () => reject(new Error(`A ${this.role} has not done what it should:\n${this.warnings.join('\n')}`)),
      limitMs,
    );
    check();
    try {
      await promise;
    } finally {
      clearTimeout(late);
      this.#watchers.delete(check);
    }
  }

  /** Runs a garbage collection in the process, which needs `probe.ts` and `--expose-gc` in its options. */
  async collect(): Promise<Strain> {
    let strain: Strain | undefined;
    for (let time = 0; time < COLLECTIONS || !strain; time++) {
      this.#child.send({ collect: true });
      strain = await messageFrom<Strain>(this.#child);
      // Collected memory returns to the system a little later.
      await sleep(AFTER_COLLECTION_MS);
    }
    return strain;
  }

  /** Resolves with the exit code. */
  async stop(): Promise<number | null> {
    if (this.isAlive) process.kill(this.pid, 'SIGTERM');
    const late = setTimeout(() => this.signal('SIGKILL'), STOP_LIMIT_MS);
    const code = await this.ended;
    clearTimeout(late);
    return code;
  }

  /** True if the line says that the process is ready. */
  #note({ msg, time, level, partition }: Line, line: string): boolean {
    if (level >= WARNING) this.warnings.push(line);
    if (msg === TAKEN && partition !== undefined) this.owned.set(partition, time);
    if (msg === RELEASED && partition !== undefined) this.owned.delete(partition);
    this.#notifyWatchers();
    return msg === READY[this.role];
  }

  #notifyWatchers(): void {
    for (const check of this.#watchers) check();
  }
}
