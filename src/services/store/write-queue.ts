import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../tasks/store-error.ts';
import type { Backend, Change, Durability } from './backend.ts';

/** Few enough that a transaction on SQLite does not block the event loop for long. */
const MAX_CHANGES = 300;
/** An order as it was sent may be megabytes in size, and a server has a time limit for each transaction. */
const MAX_CHARACTERS = 16_000_000;

interface QueuedWrite {
  changes: readonly Change[];
  durability: Durability;
  resolve(): void;
  reject(error: unknown): void;
}

/** Makes the writes of one turn of the event loop one transaction, and runs one transaction at a time. */
export class WriteQueue {
  readonly #backend: Backend;
  #writes: QueuedWrite[] = [];
  #running: Promise<void> | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Writes all of these changes or none of them. Resolves once they are committed. */
  write(changes: readonly Change[], durability: Durability): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#writes.push({ changes, durability, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    while (this.#writes.length > 0) {
      await setImmediate();
      await this.#commit(this.#takeNext());
    }
    this.#running = undefined;
  }

  #takeNext(): QueuedWrite[] {
    let changeCount = 0;
    let characters = 0;
    const end = this.#writes.findIndex(({ changes }) => {
      const isFull = changeCount >= MAX_CHANGES || characters >= MAX_CHARACTERS;
      changeCount += changes.length;
      for (const { text = '' } of changes) characters += text.length;
      return isFull;
    });
    return this.#writes.splice(0, end === -1 ? this.#writes.length : end);
  }

  async #commit(writes: readonly QueuedWrite[]): Promise<void> {
    const isImmediate = writes.some(({ durability }) => durability === 'immediate');
    // Of several changes of a row, only the last one counts.
    const changes = new Map(
      writes.flatMap((write) => write.changes.map((change) => [`${change.namespace} ${change.key}`, change] as const)),
    );
    try {
      await this.#backend.write([...changes.values()], isImmediate ? 'immediate' : 'deferred');
      for (const { resolve } of writes) resolve();
    } catch (error) {
      if (writes.length > 1 && mayConcernOneWrite(error)) for (const write of writes) await this.#commit([write]);
      else for (const { reject } of writes) reject(error);
    }
  }
}

/** A value may be refused, and a small row may fit on a disk on which a large one does not; a store that is locked or away fails for all. */
const mayConcernOneWrite = (error: unknown): boolean =>
  !(error instanceof StoreError) || error.kind === 'failed' || error.kind === 'full';
