import { Worker } from 'node:worker_threads';
import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { JobAnswer } from './job.ts';

/** A job that keeps the worker busy for longer than this is made to do so: an hour of sound takes some ten seconds. */
const LONGEST_MS = 30_000;
/** A conversation goes on within this, and its codecs are still there. */
const IDLE_MS = 60_000;
/** More than this waiting is more than anybody waits for. */
const MOST_WAITING = 32;
/** For its objects; samples lie beside them. What it takes beyond is its own end, not that of the bot. */
const MOST_MEGABYTES = 64;

/** The worker ended under a job, or was ended. What the job was is known to whoever gave it. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

interface Order<Job, Result> {
  readonly job: Job;
  readonly handsOver: readonly ArrayBuffer[];
  readonly rank: () => number;
  readonly resolve: (answer: JobAnswer<Result>) => void;
  readonly reject: (reason: Error) => void;
}

interface RoomSettings {
  mostWaiting?: number;
  /** Something is under way between two jobs that the worker must not be let go in. */
  isNeeded?(): boolean;
}

/** One worker thread, begun when it is needed first and ended when nothing comes any more, and the queue before it. */
export class Workroom<Job, Result> {
  readonly #script: URL;
  readonly #clock: Clock;
  readonly #mostWaiting: number;
  readonly #isNeeded: () => boolean;
  readonly #waiting: Order<Job, Result>[] = [];
  #worker: Worker | undefined;
  #current: Order<Job, Result> | undefined;
  #unset: () => void = () => undefined;
  #isClosed = false;

  constructor(script: URL, clock: Clock, { mostWaiting = MOST_WAITING, isNeeded = () => false }: RoomSettings = {}) {
    this.#script = script;
    this.#clock = clock;
    this.#mostWaiting = mostWaiting;
    this.#isNeeded = isNeeded;
  }

  /**
   * Of what waits, the lowest rank goes first, and who came first of one rank. Throws a `Refusal` where there is no room, and `WorkerLost` where the
   * job was the end of its worker.
   */
  run(job: Job, handsOver: readonly ArrayBuffer[], rank: () => number = () => 0): Promise<JobAnswer<Result>> {
    if (this.#isClosed) return Promise.reject(new Refusal('refusals.stopping'));
    if (this.#waiting.length >= this.#mostWaiting) return Promise.reject(new Refusal('refusals.soundsBusy'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, handsOver, rank, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const left = [this.#current, ...this.#waiting.splice(0)];
    this.#current = undefined;
    for (const order of left) order?.reject(new Refusal('refusals.stopping'));
    await this.#dismiss();
  }

  #next(): void {
    if (this.#current || this.#isClosed) return;
    this.#unset();
    this.#current = this.#taken();
    if (!this.#current) {
      // An idle worker must not keep a process alive that has nothing else to do.
      this.#worker?.unref();
      this.#rest();
      return;
    }
    this.#worker ??= this.#hire();
    this.#worker.ref();
    this.#unset = this.#clock.after(LONGEST_MS, () => void this.#dismiss('It took too long.'));
    const { job, handsOver } = this.#current;
    this.#worker.postMessage(job, handsOver);
  }

  #taken(): Order<Job, Result> | undefined {
    const ranks = this.#waiting.map(({ rank }) => rank());
    return this.#waiting.splice(ranks.indexOf(Math.min(...ranks)), 1)[0];
  }

  #rest(): void {
    if (!this.#worker) return;
    this.#unset = this.#clock.after(IDLE_MS, () => (this.#isNeeded() ? this.#rest() : void this.#dismiss()));
  }

  #hire(): Worker {
    const worker = new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
      // Codecs complain about broken files on the console, which is not the log.
      stdout: true,
      stderr: true,
      execArgv: [],
      env: {},
    });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (answer: JobAnswer<Result>) => {
      if (this.#worker === worker) this.#settle((order) => order.resolve(answer));
    });
    worker.on('error', (cause) => this.#lost(worker, new WorkerLost('The worker failed.', { cause })));
    worker.on('exit', (code) => this.#lost(worker, new WorkerLost(`The worker ended with code ${code}.`)));
    return worker;
  }

  /** Ends the worker; what it was at is over, and what waits gets a new one. */
  async #dismiss(why = 'The worker was ended.'): Promise<void> {
    const worker = this.#worker;
    this.#unset();
    if (!worker) return;
    this.#lost(worker, new WorkerLost(why));
    await worker.terminate();
  }

  #lost(worker: Worker, reason: WorkerLost): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#settle((order) => order.reject(reason));
  }

  #settle(how: (order: Order<Job, Result>) => void): void {
    const order = this.#current;
    this.#current = undefined;
    if (order) how(order);
    this.#next();
  }
}
