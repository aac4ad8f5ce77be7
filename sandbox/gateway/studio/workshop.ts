import { Worker } from 'node:worker_threads';

interface Order {
  readonly job: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: Error) => void;
}

export type Answer = { readonly result: unknown } | { readonly failure: string };

/** One worker thread and the queue before it. A worker that dies takes its job along; the next job gets a new one. */
export class Workshop {
  readonly #script: URL;
  readonly #waiting: Order[] = [];
  #worker: Worker | undefined;
  #current: Order | undefined;
  #closed = false;

  constructor(script: URL) {
    this.#script = script;
  }

  run(job: unknown): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error('The studio is closed.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    const left = [this.#current, ...this.#waiting.splice(0)];
    this.#current = undefined;
    for (const order of left) order?.reject(new Error('The studio was closed before the work was done.'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current) return;
    this.#current = this.#waiting.shift();
    if (!this.#current) {
      // An idle worker must not keep a process alive that has nothing else to do.
      this.#worker?.unref();
      return;
    }
    this.#worker ??= this.#hire();
    this.#worker.ref();
    try {
      this.#worker.postMessage(this.#current.job);
    } catch (cause) {
      // What cannot be cloned for a worker must fail alone, not hold up the queue.
      this.#settle((order) => order.reject(new Error('The studio cannot pass this job on.', { cause })));
    }
  }

  #hire(): Worker {
    const worker = new Worker(this.#script);
    worker.on('message', (answer: Answer) => {
      if ('failure' in answer) this.#settle((order) => order.reject(new Error(answer.failure)));
      else this.#settle((order) => order.resolve(answer.result));
    });
    const lost = (reason: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#settle((order) => order.reject(reason));
    };
    worker.on('error', (cause) => lost(new Error('The studio lost a worker.', { cause })));
    worker.on('exit', (code) => lost(new Error(`A worker of the studio ended with code ${code}.`)));
    return worker;
  }

  #settle(how: (order: Order) => void): void {
    const order = this.#current;
    this.#current = undefined;
    if (order) how(order);
    this.#next();
  }
}
