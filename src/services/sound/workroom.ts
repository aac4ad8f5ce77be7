import { parentPort, Worker } from 'node:worker_threads';
import type { Clock } from '../../lib/clock.ts';
import { reasonOf } from '../../lib/loggable.ts';
import { Refusal } from '../../lib/refusal.ts';

/** A longer job was made to keep the worker busy: an hour of audio takes some ten seconds. */
const LONGEST_MS = 30_000;
/** A conversation goes on within this time, and finds its codecs loaded. */
const IDLE_MS = 60_000;
/** Nobody waits for more than this. */
const MOST_WAITING = 32;
/** For its objects; samples lie outside. A worker that takes more ends, and the bot does not. */
const MOST_MEGABYTES = 64;

export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

/** Classes cannot be sent between threads: a refusal is sent as its parts. */
export type JobAnswer<Result> =
  | { done: Result }
  | { refused: { key: string; variables: Record<string, string | readonly string[]> } }
  | { failed: string };

interface Order<Job, Result> {
  readonly job: Job;
  readonly handsOver: readonly ArrayBuffer[];
  readonly longestMs: number;
  readonly resolve: (answer: JobAnswer<Result>) => void;
  readonly reject: (reason: Error) => void;
}

interface RoomSettings {
  /** Jobs that run at the same time, each in its own thread. */
  workers?: number;
  mostWaiting?: number;
  /** Whether the worker holds state between two jobs, and must not be ended. */
  isNeeded?(): boolean;
}

interface Post<Job, Result> {
  readonly worker: Worker;
  current: Order<Job, Result> | undefined;
  unset: () => void;
}

/** Worker threads and their queue. A thread is started for a job that no other is free for, and ended when it is idle. */
export class Workroom<Job, Result> {
  readonly #script: URL;
  readonly #clock: Clock;
  readonly #settings: Required<RoomSettings>;
  readonly #waiting: Order<Job, Result>[] = [];
  readonly #posts = new Set<Post<Job, Result>>();
  #isClosed = false;

  constructor(script: URL, clock: Clock, settings: RoomSettings = {}) {
    this.#script = script;
    this.#clock = clock;
    this.#settings = { workers: 1, mostWaiting: MOST_WAITING, isNeeded: () => false, ...settings };
  }

  /** First come, first served. Throws a `Refusal` where the queue is full, and `WorkerLost` where the job ended its worker. */
  run(job: Job, handsOver: readonly ArrayBuffer[], { longestMs = LONGEST_MS } = {}): Promise<JobAnswer<Result>> {
    if (this.#isClosed) return Promise.reject(new Refusal('refusals.stopping'));
    if (this.#waiting.length >= this.#settings.mostWaiting) return Promise.reject(new Refusal('refusals.soundsBusy'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, handsOver, longestMs, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const posts = [...this.#posts];
    const left = [...posts.map(({ current }) => current), ...this.#waiting.splice(0)];
    for (const post of posts) post.current = undefined;
    for (const order of left) order?.reject(new Refusal('refusals.stopping'));
    await Promise.all(posts.map((post) => this.#dismiss(post)));
  }

  #next(): void {
    while (!this.#isClosed && this.#waiting.length > 0) {
      const post = this.#free();
      const order = post && this.#waiting.shift();
      if (!order) return;
      post.current = order;
      post.unset();
      post.worker.ref();
      post.unset = this.#clock.after(order.longestMs, () => void this.#dismiss(post, 'It took too long.'));
      post.worker.postMessage(order.job, order.handsOver);
    }
  }

  #free(): Post<Job, Result> | undefined {
    for (const post of this.#posts) if (!post.current) return post;
    return this.#posts.size < this.#settings.workers ? this.#hire() : undefined;
  }

  #rest(post: Post<Job, Result>): void {
    // An idle worker must not keep the process alive.
    post.worker.unref();
    post.unset = this.#clock.after(IDLE_MS, () =>
      this.#settings.isNeeded() ? this.#rest(post) : void this.#dismiss(post),
    );
  }

  #hire(): Post<Job, Result> {
    const worker = new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
      // Codecs complain about broken files on the console, which is not the log.
      stdout: true,
      stderr: true,
      execArgv: [],
      env: {},
    });
    const post: Post<Job, Result> = { worker, current: undefined, unset: () => undefined };
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (answer: JobAnswer<Result>) => {
      if (this.#posts.has(post)) this.#settle(post, (order) => order.resolve(answer));
    });
    worker.on('error', (cause) => this.#lost(post, new WorkerLost('The worker failed.', { cause })));
    worker.on('exit', (code) => this.#lost(post, new WorkerLost(`The worker ended with code ${code}.`)));
    this.#posts.add(post);
    return post;
  }

  /** Ends the worker; its job is lost, and what waits gets a new one. */
  async #dismiss(post: Post<Job, Result>, why = 'The worker was ended.'): Promise<void> {
    this.#lost(post, new WorkerLost(why));
    await post.worker.terminate();
  }

  #lost(post: Post<Job, Result>, reason: WorkerLost): void {
    if (!this.#posts.delete(post)) return;
    this.#settle(post, (order) => order.reject(reason));
  }

  #settle(post: Post<Job, Result>, how: (order: Order<Job, Result>) => void): void {
    const order = post.current;
    post.current = undefined;
    post.unset();
    if (order) how(order);
    this.#next();
    if (!post.current && this.#posts.has(post)) this.#rest(post);
  }
}

/** The worker's side: every job gets a response, whatever happens. `handsOver` goes to the other thread without a copy. */
export function serve<Job, Result>(work: (job: Job) => Promise<{ result: Result; handsOver: ArrayBuffer[] }>): void {
  const port = parentPort;
  if (!port) throw new Error('This file runs as a worker.');
  const answer = async (job: Job): Promise<void> => {
    try {
      const { result, handsOver } = await work(job);
      port.postMessage({ done: result } satisfies JobAnswer<Result>, handsOver);
    } catch (error) {
      const refused = error instanceof Refusal && { key: error.key, variables: error.variables };
      port.postMessage((refused ? { refused } : { failed: reasonOf(error) }) satisfies JobAnswer<Result>);
    }
  };
  port.on('message', (job: Job) => void answer(job));
}
