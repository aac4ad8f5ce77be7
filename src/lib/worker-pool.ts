import { parentPort, Worker } from 'node:worker_threads';
import type { Clock } from './clock.ts';
import { reasonOf } from './loggable.ts';
import { Refusal } from './refusal.ts';

/** A job that takes longer must be an attempt to keep the worker busy: an hour of audio takes about ten seconds. */
const MAX_DURATION_MS = 30_000;
/** A conversation usually continues within this time, and then its codecs are still loaded. */
const IDLE_MS = 60_000;
/** With a longer queue, callers would wait too long. */
const MAX_WAITING = 32;
/** The heap limit of a worker; samples are stored outside of it. If a worker exceeds the limit, it ends, but the bot does not. */
const MAX_MEGABYTES = 64;

export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

/** Classes cannot be sent between threads: a refusal is sent as its parts. */
export type JobResult<Result> = { done: Result } | { refused: Pick<Refusal, 'key' | 'variables'> } | { failed: string };

interface Order<Job, Result> {
  readonly job: Job;
  readonly transfer: readonly ArrayBuffer[];
  readonly longestMs: number;
  readonly resolve: (answer: JobResult<Result>) => void;
  readonly reject: (reason: Error) => void;
}

interface PoolSettings {
  /** Jobs that run at the same time, each in its own thread. */
  workers?: number;
  maxWaiting?: number;
  /** Whether the worker must not be ended, because it holds state between two jobs. */
  isNeeded?(): boolean;
}

interface PoolWorker<Job, Result> {
  readonly worker: Worker;
  current: Order<Job, Result> | undefined;
  unset: () => void;
}

/** Worker threads and their queue. A thread is started if no other is free for a job, and ended after it has been idle. */
export class WorkerPool<Job, Result> {
  readonly #script: URL;
  readonly #clock: Clock;
  readonly #settings: Required<PoolSettings>;
  readonly #waiting: Order<Job, Result>[] = [];
  readonly #workers = new Set<PoolWorker<Job, Result>>();
  #isClosed = false;

  constructor(script: URL, clock: Clock, settings: PoolSettings = {}) {
    this.#script = script;
    this.#clock = clock;
    this.#settings = { workers: 1, maxWaiting: MAX_WAITING, isNeeded: () => false, ...settings };
  }

  /** First come, first served. Throws a `Refusal` if the queue is full, and `WorkerLost` if the job ended its worker. */
  run(job: Job, transfer: readonly ArrayBuffer[], { longestMs = MAX_DURATION_MS } = {}): Promise<JobResult<Result>> {
    if (this.#isClosed) return Promise.reject(new Refusal('refusals.stopping'));
    if (this.#waiting.length >= this.#settings.maxWaiting) return Promise.reject(new Refusal('refusals.busy'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, transfer, longestMs, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const workers = [...this.#workers];
    const left = [...workers.map(({ current }) => current), ...this.#waiting.splice(0)];
    for (const entry of workers) entry.current = undefined;
    for (const order of left) order?.reject(new Refusal('refusals.stopping'));
    await Promise.all(workers.map((entry) => this.#endWorker(entry)));
  }

  #next(): void {
    while (!this.#isClosed && this.#waiting.length > 0) {
      const entry = this.#idleWorker();
      const order = entry && this.#waiting.shift();
      if (!order) return;
      entry.current = order;
      entry.unset();
      entry.worker.ref();
      entry.unset = this.#clock.after(order.longestMs, () => void this.#endWorker(entry, 'It took too long.'));
      entry.worker.postMessage(order.job, order.transfer);
    }
  }

  #idleWorker(): PoolWorker<Job, Result> | undefined {
    for (const entry of this.#workers) if (!entry.current) return entry;
    return this.#workers.size < this.#settings.workers ? this.#startWorker() : undefined;
  }

  #rest(entry: PoolWorker<Job, Result>): void {
    // An idle worker must not keep the process alive.
    entry.worker.unref();
    entry.unset = this.#clock.after(IDLE_MS, () =>
      this.#settings.isNeeded() ? this.#rest(entry) : void this.#endWorker(entry),
    );
  }

  #startWorker(): PoolWorker<Job, Result> {
    const worker = new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
      // Codecs print complaints about broken files to the console, which must not end up in the log.
      stdout: true,
      stderr: true,
      execArgv: [],
      env: {},
    });
    const entry: PoolWorker<Job, Result> = { worker, current: undefined, unset: () => undefined };
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (answer: JobResult<Result>) => {
      if (this.#workers.has(entry)) this.#settle(entry, (order) => order.resolve(answer));
    });
    worker.on('error', (cause) => this.#loseWorker(entry, new WorkerLost('The worker failed.', { cause })));
    worker.on('exit', (code) => this.#loseWorker(entry, new WorkerLost(`The worker ended with code ${code}.`)));
    this.#workers.add(entry);
    return entry;
  }

  /** Ends the worker; its job is lost, and waiting jobs get a new one. */
  async #endWorker(entry: PoolWorker<Job, Result>, why = 'The worker was ended.'): Promise<void> {
    this.#loseWorker(entry, new WorkerLost(why));
    await entry.worker.terminate();
  }

  #loseWorker(entry: PoolWorker<Job, Result>, reason: WorkerLost): void {
    if (!this.#workers.delete(entry)) return;
    this.#settle(entry, (order) => order.reject(reason));
  }

  #settle(entry: PoolWorker<Job, Result>, how: (order: Order<Job, Result>) => void): void {
    const order = entry.current;
    entry.current = undefined;
    entry.unset();
    if (order) how(order);
    this.#next();
    if (!entry.current && this.#workers.has(entry)) this.#rest(entry);
  }
}

/** The worker's side: every job gets a response. `transfer` goes to the other thread without a copy. */
export function serveJobs<Job, Result>(work: (job: Job) => Promise<{ result: Result; transfer: ArrayBuffer[] }>): void {
  const port = parentPort;
  if (!port) throw new Error('This file runs as a worker.');
  const answer = async (job: Job): Promise<void> => {
    try {
      const { result, transfer } = await work(job);
      port.postMessage({ done: result } satisfies JobResult<Result>, transfer);
    } catch (error) {
      const refused = error instanceof Refusal && { key: error.key, variables: error.variables };
      port.postMessage((refused ? { refused } : { failed: reasonOf(error) }) satisfies JobResult<Result>);
    }
  };
  port.on('message', (job: Job) => void answer(job));
}
