import type { Worker } from 'bullmq';
import { type Clock, pause } from '../../lib/clock.ts';

const START_RETRY_MS = 1_000;

export type PacketWorker = Pick<Worker, 'waitUntilReady' | 'run' | 'close'>;

/**
 * Takes packets once the connections of its worker work. If one of them fails while it starts, BullMQ's worker never recovers, and tries again without a pause; so it is
 * replaced.
 */
export class Consumer {
  readonly #createWorker: () => PacketWorker;
  readonly #onError: (error: Error) => void;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #worker: PacketWorker;

  constructor(createWorker: () => PacketWorker, onError: (error: Error) => void, clock: Clock) {
    this.#createWorker = createWorker;
    this.#onError = onError;
    this.#clock = clock;
    this.#worker = createWorker();
    void this.#start();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#worker.close();
  }

  async #start(): Promise<void> {
    const { signal } = this.#closing;
    while (!(await isReady(this.#worker))) {
      await pause(this.#clock, START_RETRY_MS, signal);
      if (signal.aborted) return;
      await this.#worker.close().catch(this.#onError);
      if (signal.aborted) return;
      this.#worker = this.#createWorker();
    }
    if (!signal.aborted) await this.#worker.run().catch(this.#onError);
  }
}

async function isReady(worker: PacketWorker): Promise<boolean> {
  try {
    await worker.waitUntilReady();
    return true;
  } catch {
    // The worker has reported the error.
    return false;
  }
}
