import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeArguments } from '../as-started.ts';
import { messageFrom } from '../discord/child.ts';
import type { ProcessUsage } from '../text/probe.ts';

export type Role = 'all' | 'shard' | 'worker';

const READY_MESSAGES: Readonly<Record<Role, string>> = {
  all: 'Atelier is ready.',
  shard: 'This shard process is ready.',
  worker: 'This worker is ready.',
};
const ACQUIRED_MESSAGE = 'This worker owns another partition.';
const RELEASED_MESSAGE = 'This worker released a partition.';
const COLLECTION_COUNT = 3;
const AFTER_COLLECTION_MS = 500;
/** 25 shards that identify one after another take more than two minutes. */
const START_LIMIT_MS = 600_000;
/** The bot gives running work ten seconds to finish. */
const STOP_LIMIT_MS = 30_000;

interface LogLine {
  msg?: string;
  time: number;
  level: number;
  partition?: number;
}

const WARNING_LEVEL = 40;

/**
 * One process of the shipped bot, started as by `npm start`, and the leader of a process group. It inherits only PATH from this environment.
 */
export class BotProcess {
  readonly role: Role;
  readonly startedAt = Date.now();
  /** When the process became the owner of each of its partitions. */
  readonly ownedSince = new Map<number, number>();
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
      execArgv: [...nodeArguments, ...nodeOptions],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      detached: true,
    });
    const kill = (): void => this.signal('SIGKILL');
    process.once('exit', kill);
    this.ended = once(this.#child, 'exit').then(([code]) => {
      process.off('exit', kill);
      this.#notifyWatchers();
      return code as number | null;
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    promise.catch(() => undefined);
    if (this.#child.stdout)
      createInterface(this.#child.stdout).on('line', (line) => {
        if (this.#handleLine(JSON.parse(line) as LogLine, line)) resolve();
      });
    const fail = (): void => reject(new Error(`A process did not become ready:\n${this.warnings.join('\n')}`));
    void this.ended.then(fail);
    setTimeout(fail, START_LIMIT_MS).unref();
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

  /** Resolves once `condition` returns true; it is evaluated after every line of the log. */
  async waitUntil(condition: () => boolean, limitMs = START_LIMIT_MS): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = (): void => {
      if (condition()) resolve();
      else if (!this.isAlive) reject(new Error(`A ${this.role} has ended:\n${this.warnings.join('\n')}`));
    };
    this.#watchers.add(check);
    const timer = setTimeout(
      () => reject(new Error(`A ${this.role} did not reach the expected state in time:\n${this.warnings.join('\n')}`)),
      limitMs,
    );
    check();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(check);
    }
  }

  /** Runs a garbage collection in the process, which needs `probe.ts` and `--expose-gc` in its options. */
  async collectGarbage(): Promise<ProcessUsage> {
    let memoryUse: ProcessUsage | undefined;
    for (let round = 0; round < COLLECTION_COUNT || !memoryUse; round++) {
      this.#child.send({ collect: true });
      memoryUse = await messageFrom<ProcessUsage>(this.#child);
      // Collected memory returns to the system a little later.
      await sleep(AFTER_COLLECTION_MS);
    }
    return memoryUse;
  }

  /** Resolves with the exit code. */
  async stop(): Promise<number | null> {
    if (this.isAlive) process.kill(this.pid, 'SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_LIMIT_MS);
    const code = await this.ended;
    clearTimeout(timer);
    return code;
  }

  /** Handles a line of the log; returns true if it says that the process is ready. */
  #handleLine({ msg, time, level, partition }: LogLine, line: string): boolean {
    if (level >= WARNING_LEVEL) this.warnings.push(line);
    if (msg === ACQUIRED_MESSAGE && partition !== undefined) this.ownedSince.set(partition, time);
    if (msg === RELEASED_MESSAGE && partition !== undefined) this.ownedSince.delete(partition);
    this.#notifyWatchers();
    return msg === READY_MESSAGES[this.role];
  }

  #notifyWatchers(): void {
    for (const check of this.#watchers) check();
  }
}
