import { parentPort, Worker } from 'node:worker_threads';
import type { Clock } from './clock.ts';
import { reasonOf } from './loggable.ts';
import { Refusal } from './refusal.ts';

/** A job that takes longer must be an attempt to keep the worker busy: an hour of audio takes about ten seconds. */
const MAX_DURATION_MS = 30_000;
/** A conversation usually continues within this time, and then its codecs are still loaded. */
const IDLE_TIMEOUT_MS = 60_000;
/** With a longer queue, callers would wait too long. */
const MAX_WAITING = 32;
/** The heap limit of a worker; samples are stored outside of it. If a worker exceeds the limit, it ends, but the bot does not. */
const MAX_HEAP_MEGABYTES = 64;

export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

/** Classes cannot be sent between threads: a refusal is sent as its parts. */
export type JobResult<Result> = { done: Result } | { refused: Pick<Refusal, 'key' | 'variables'> } | { failed: string };

interface QueuedJob<Job, Result> {
  readonly job: Job;
  readonly transfer: readonly ArrayBuffer[];
  readonly timeoutMs: number;
  readonly resolve: (result: JobResult<Result>) => void;
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
  current: QueuedJob<Job, Result> | undefined;
  cancelTimer: () => void;
}

/** Worker threads and their queue. A thread is started if no other is free for a job, and ended after it has been idle. */
export class WorkerPool<Job, Result> {
  readonly #script: URL;
  readonly #clock: Clock;
  readonly #settings: Required<PoolSettings>;
  readonly #queue: QueuedJob<Job, Result>[] = [];
  readonly #workers = new Set<PoolWorker<Job, Result>>();
  #isClosed = false;

  constructor(script: URL, clock: Clock, settings: PoolSettings = {}) {
    this.#script = script;
    this.#clock = clock;
    this.#settings = { workers: 1, maxWaiting: MAX_WAITING, isNeeded: () => false, ...settings };
  }

  /** First come, first served. Throws a `Refusal` if the queue is full, and `WorkerLost` if the job ended its worker. */
  run(
    job: Job,
    transfer: readonly ArrayBuffer[],
    { longestMs: timeoutMs = MAX_DURATION_MS } = {},
  ): Promise<JobResult<Result>> {
    if (this.#isClosed) return Promise.reject(new Refusal('refusals.stopping'));
    if (this.#queue.length >= this.#settings.maxWaiting) return Promise.reject(new Refusal('refusals.busy'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, transfer, timeoutMs, resolve, reject });
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const workers = [...this.#workers];
    const unfinished = [...workers.map(({ current }) => current), ...this.#queue.splice(0)];
    for (const entry of workers) entry.current = undefined;
    for (const queuedJob of unfinished) queuedJob?.reject(new Refusal('refusals.stopping'));
    await Promise.all(workers.map((entry) => this.#endWorker(entry)));
  }

  #startNext(): void {
    while (!this.#isClosed && this.#queue.length > 0) {
      const entry = this.#idleWorker();
      const queuedJob = entry && this.#queue.shift();
      if (!queuedJob) return;
      entry.current = queuedJob;
      entry.cancelTimer();
      entry.worker.ref();
      entry.cancelTimer = this.#clock.after(
        queuedJob.timeoutMs,
        () => void this.#endWorker(entry, 'It took too long.'),
      );
      entry.worker.postMessage(queuedJob.job, queuedJob.transfer);
    }
  }

  #idleWorker(): PoolWorker<Job, Result> | undefined {
    for (const entry of this.#workers) if (!entry.current) return entry;
    return this.#workers.size < this.#settings.workers ? this.#startWorker() : undefined;
  }

  #markIdle(entry: PoolWorker<Job, Result>): void {
    // An idle worker must not keep the process alive.
    entry.worker.unref();
    entry.cancelTimer = this.#clock.after(IDLE_TIMEOUT_MS, () =>
      this.#settings.isNeeded() ? this.#markIdle(entry) : void this.#endWorker(entry),
    );
  }

  #startWorker(): PoolWorker<Job, Result> {
    const worker = new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
      // Codecs print complaints about broken files to the console, which must not end up in the log.
      stdout: true,
      stderr: true,
      // A thread has the permissions of its process only if the flags are repeated.
      execArgv: process.execArgv.filter((flag) => /^--(permission|allow-)/.test(flag)),
      env: {},
    });
    const entry: PoolWorker<Job, Result> = { worker, current: undefined, cancelTimer: () => undefined };
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (result: JobResult<Result>) => {
      if (this.#workers.has(entry)) this.#settle(entry, (queuedJob) => queuedJob.resolve(result));
    });
    worker.on('error', (cause) => this.#removeWorker(entry, new WorkerLost('The worker failed.', { cause })));
    worker.on('exit', (code) => this.#removeWorker(entry, new WorkerLost(`The worker ended with code ${code}.`)));
    this.#workers.add(entry);
    return entry;
  }

  /** Ends the worker; its job is lost, and waiting jobs get a new one. */
  async #endWorker(entry: PoolWorker<Job, Result>, message = 'The worker was ended.'): Promise<void> {
    this.#removeWorker(entry, new WorkerLost(message));
    await entry.worker.terminate();
  }

  #removeWorker(entry: PoolWorker<Job, Result>, reason: WorkerLost): void {
    if (!this.#workers.delete(entry)) return;
    this.#settle(entry, (queuedJob) => queuedJob.reject(reason));
  }

  #settle(entry: PoolWorker<Job, Result>, settle: (queuedJob: QueuedJob<Job, Result>) => void): void {
    const queuedJob = entry.current;
    entry.current = undefined;
    entry.cancelTimer();
    if (queuedJob) settle(queuedJob);
    this.#startNext();
    if (!entry.current && this.#workers.has(entry)) this.#markIdle(entry);
  }
}

/** The worker's side: every job gets a response. `transfer` goes to the other thread without a copy. */
export function serveJobs<Job, Result>(work: (job: Job) => Promise<{ result: Result; transfer: ArrayBuffer[] }>): void {
  const port = parentPort;
  if (!port) throw new Error('This file runs as a worker.');
  const respond = async (job: Job): Promise<void> => {
    try {
      const { result, transfer } = await work(job);
      port.postMessage({ done: result } satisfies JobResult<Result>, transfer);
    } catch (error) {
      const refused = error instanceof Refusal && { key: error.key, variables: error.variables };
      port.postMessage((refused ? { refused } : { failed: reasonOf(error) }) satisfies JobResult<Result>);
    }
  };
  port.on('message', (job: Job) => void respond(job));
}
