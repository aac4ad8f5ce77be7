import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ProbeCalls } from './probe.ts';
import { launch, Remote } from './program.ts';

export type Role = 'all' | 'shard' | 'worker';

const READY_MESSAGES: Readonly<Record<Role, string>> = {
  all: 'Atelier is ready.',
  shard: 'This shard process is ready.',
  worker: 'This worker is ready.',
};
const ACQUIRED_MESSAGE = 'This worker owns another partition.';
const RELEASED_MESSAGE = 'This worker released a partition.';
/** 25 shards that identify one after another take more than two minutes. */
const START_LIMIT_MS = 600_000;
const WARNING_LEVEL = 40;

const projectRoot = new URL('../../', import.meta.url);

/**
 * The arguments that `npm start` in this source tree passes to Node before the bot's entry file, except the operator's settings. Read from the
 * script itself, so the measured bot runs like the real one.
 */
function nodeArgumentsOf(root: URL): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: { start: string } };
  return scripts.start
    .replace('--import ./scripts/env-file.mjs ', '')
    .split(' ')
    .slice(1, -1)
    .map((argument) => (argument.startsWith('./') ? new URL(argument, root).href : argument));
}

export const nodeArguments = nodeArgumentsOf(projectRoot);

export const probeArguments: readonly string[] = ['--expose-gc', '--import', new URL('probe.ts', import.meta.url).href];

interface LogLine {
  msg?: string;
  time: number;
  level: number;
  partition?: number;
  tasks?: number;
}

/** One process of the bot in the source tree `root`, started as by `npm start` with the probe, or only as by `npm start`. */
export class Bot extends Remote<ProbeCalls> {
  readonly role: Role;
  readonly startedAt = Date.now();
  /** When the process became the owner of each of its partitions. */
  readonly ownedSince = new Map<number, number>();
  readonly ended: Promise<number | null>;
  /** When it reported that it was ready, and how many live tasks it had then. */
  readonly ready: Promise<{ at: number; tasks: number }>;
  /** Warnings and errors, which may explain a surprising figure. */
  readonly #warnings: string[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(
    settings: Readonly<Record<string, string>>,
    { role = 'all' as Role, hasProbe = true, root = projectRoot } = {},
  ) {
    super(
      launch(new URL('src/index.ts', root), {
        environment: { ATELIER_ROLE: role, ...settings },
        nodeOptions: [...nodeArgumentsOf(root), ...(hasProbe ? probeArguments : [])],
        hasLog: true,
      }),
    );
    this.role = role;
    this.ended = once(this.child, 'exit').then(([code]) => {
      this.#notifyWatchers();
      return code as number | null;
    });
    const { promise, resolve, reject } = Promise.withResolvers<{ at: number; tasks: number }>();
    this.ready = promise;
    promise.catch(() => undefined);
    if (this.child.stdout)
      createInterface(this.child.stdout).on('line', (line) => {
        const { msg, time, level, partition, tasks = 0 } = JSON.parse(line) as LogLine;
        if (level >= WARNING_LEVEL) this.#warnings.push(line);
        if (msg === READY_MESSAGES[role]) resolve({ at: time, tasks });
        if (msg === ACQUIRED_MESSAGE && partition !== undefined) this.ownedSince.set(partition, time);
        if (msg === RELEASED_MESSAGE && partition !== undefined) this.ownedSince.delete(partition);
        this.#notifyWatchers();
      });
    const fail = (): void => reject(this.#failure());
    void this.ended.then(fail);
    setTimeout(fail, START_LIMIT_MS).unref();
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Sends a signal to the process and to those that it has started. */
  signal(signal: NodeJS.Signals): void {
    if (this.#isAlive) process.kill(-this.pid, signal);
  }

  /** Resolves once `condition` returns true; it is evaluated after every line of the log. */
  async waitUntil(condition: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = (): void => {
      if (condition()) resolve();
      else if (!this.#isAlive) reject(this.#failure());
    };
    this.#watchers.add(check);
    const timer = setTimeout(() => reject(this.#failure()), START_LIMIT_MS);
    check();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(check);
    }
  }

  get #isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  #failure(): Error {
    return new Error(`A process (${this.role}) did not reach the expected state:\n${this.#warnings.join('\n')}`);
  }

  #notifyWatchers(): void {
    for (const check of this.#watchers) check();
  }
}
