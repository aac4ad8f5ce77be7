import { EventEmitter } from 'node:events';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { KeyedLock } from '../../../lib/keyed-lock.ts';

/**
 * The pool that BullMQ gets. BullMQ reserves a connection for each queue from which it takes packets, to wait for notifications. All of them would listen on the same
 * channel, and Postgres would send every notification to each of them; here they share one connection.
 */
export class SharedListenerPool extends EventEmitter {
  readonly #pool: Pool;
  readonly #borrowers = new Set<SharedConnection>();
  readonly #queries = new KeyedLock();
  #listener: Promise<PoolClient> | undefined;
  #isEnding = false;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  /** BullMQ reads `keepAlive`. */
  get options(): Pool['options'] {
    return this.#pool.options;
  }

  query(text: string, values?: unknown[]): Promise<QueryResult> {
    return this.#pool.query(text, values);
  }

  /** BullMQ uses these connections for single statements and for listening. */
  async connect(): Promise<SharedConnection> {
    for (;;) {
      this.#listener ??= this.#openListener();
      const listener = this.#listener;
      const client = await listener;
      if (listener === this.#listener) return this.#lend(client);
    }
  }

  /** BullMQ adds a listener per queue for the errors of unused connections, which the pool replaces by itself. */
  override on(): this {
    return this;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    const listener = await this.#listener?.catch(() => undefined);
    listener?.release(true);
    await this.#pool.end();
  }

  #lend(client: PoolClient): SharedConnection {
    // A connection runs one statement at a time.
    const query = (text: string, values?: unknown[]) => this.#queries.run('', () => client.query(text, values));
    const connection = new SharedConnection(query, () => this.#borrowers.delete(connection));
    this.#borrowers.add(connection);
    return connection;
  }

  async #openListener(): Promise<PoolClient> {
    try {
      const client = await this.#pool.connect();
      client.on('notification', (notification) => {
        for (const borrower of this.#borrowers) borrower.emit('notification', notification);
      });
      client.once('error', (error) => {
        // The client is released already.
        if (this.#isEnding) return;
        this.#listener = undefined;
        client.release(true);
        this.#reportToBorrowers(error);
      });
      return client;
    } catch (error) {
      this.#listener = undefined;
      throw error;
    }
  }

  /** BullMQ then connects again. */
  #reportToBorrowers(error: Error): void {
    const borrowers = [...this.#borrowers];
    this.#borrowers.clear();
    for (const borrower of borrowers) borrower.emit('error', error);
  }
}

/** The connection as one of the queues sees it. */
class SharedConnection extends EventEmitter {
  readonly query: (text: string, values?: unknown[]) => Promise<QueryResult>;
  readonly release: () => void;

  constructor(query: SharedConnection['query'], release: () => void) {
    super();
    this.query = query;
    this.release = release;
    // BullMQ adds its own listener a little later; until then an error must not end the process.
    this.on('error', () => undefined);
  }
}
