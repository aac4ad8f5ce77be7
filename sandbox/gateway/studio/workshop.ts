import { parentPort, Worker } from 'node:worker_threads';

type WorkerResponse<Result> = { readonly result: Result } | { readonly failure: string };

/** One worker thread with one job at a time. If the worker dies, its job is lost, and the next job gets a new worker. */
export class StudioWorker<Job = unknown, Result = unknown> {
  readonly #script: URL;
  #worker: Worker | undefined;
  #lastRun: Promise<unknown> = Promise.resolve();
  #settle: (response: WorkerResponse<Result>) => void = () => undefined;
  #isClosed = false;

  constructor(script: URL) {
    this.#script = script;
  }

  run(job: Job): Promise<Result> {
    const outcome = this.#lastRun.then(() => this.#runNow(job));
    this.#lastRun = outcome.catch(() => undefined);
    return outcome;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #runNow(job: Job): Promise<Result> {
    if (this.#isClosed) throw new Error('The studio is closed.');
    this.#worker ??= this.#startWorker();
    const worker = this.#worker;
    worker.ref();
    try {
      return await new Promise((resolve, reject) => {
        this.#settle = (response) =>
          'failure' in response ? reject(new Error(response.failure)) : resolve(response.result);
        worker.postMessage(job);
      });
    } finally {
      // An idle worker must not keep a process alive that has nothing else to do.
      worker.unref();
    }
  }

  #startWorker(): Worker {
    const worker = new Worker(this.#script);
    const onLoss = (failure: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#settle({ failure: this.#isClosed ? 'The studio was closed before the work was done.' : failure });
    };
    worker.on('message', (response: WorkerResponse<Result>) => this.#settle(response));
    worker.on('error', (error) => onLoss(`The studio lost a worker: ${String(error)}`));
    worker.on('exit', (code) => onLoss(`A studio worker exited with code ${code}.`));
    return worker;
  }
}

/** Runs in the worker: one job in, one response out; bytes are transferred, not copied. */
export function serveJobs<Job>(work: (job: Job) => Promise<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer>): void {
  parentPort?.on('message', async (job: Job) => {
    try {
      const result = await work(job);
      parentPort?.postMessage({ result }, [result.buffer]);
    } catch (error) {
      parentPort?.postMessage({ failure: String(error) });
    }
  });
}
