import type { Worker } from 'bullmq';
import { type Clock, pause } from '../../lib/clock.ts';
import type { InboxConsumer } from './inbox.ts';

const START_RETRY_MS = 1_000;

export type PacketWorker = Pick<Worker, 'waitUntilReady' | 'run' | 'close'>;

interface ConsumerParts {
  createWorker(): PacketWorker;
  onError(error: Error): void;
  clock: Pick<Clock, 'after'>;
}

/**
 * Takes packets once the connections of its worker work. If one of them fails while it starts, BullMQ's worker never recovers, and tries again without a pause; so it is
 * replaced.
 */
export class Consumer implements InboxConsumer {
  readonly #closing = new AbortController();
  #worker: PacketWorker;

  constructor(parts: ConsumerParts) {
    this.#worker = parts.createWorker();
    void this.#start(parts);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#worker.close();
  }

  async #start({ createWorker, onError, clock }: ConsumerParts): Promise<void> {
    const { signal } = this.#closing;
    while (!(await isReady(this.#worker))) {
      await pause(clock, START_RETRY_MS, signal);
      if (signal.aborted) return;
      await this.#worker.close().catch(onError);
      if (signal.aborted) return;
      this.#worker = createWorker();
    }
    if (!signal.aborted) await this.#worker.run().catch(onError);
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
