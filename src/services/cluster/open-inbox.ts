import { EventEmitter } from 'node:events';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { systemClock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { Log } from '../../lib/log.ts';
import { publicName, type StoreAddress } from '../store/backend.ts';
import { importOptional } from '../store/import-optional.ts';
import { StoreError } from '../tasks/store-error.ts';
import { Inbox, type QueueServer } from './inbox.ts';

/** One of them waits for packets. */
const POSTGRES_CONNECTIONS = 8;

/** Opens the queues on a Redis or Postgres server. `lockMs`: how long a packet stays assigned to a process that no longer renews its lock. */
export async function openInbox(address: StoreAddress, { lockMs, log }: { lockMs: number; log: Log }): Promise<Inbox> {
  const open = address.scheme.startsWith('redis') ? openRedis : openPostgres;
  try {
    return new Inbox(await open(address.url), lockMs, { clock: systemClock, log });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const name = publicName(address);
    throw new StoreError(
      'unreachable',
      `The queue server ${name} cannot be reached. Check QUEUE_URL, and that the server is running.`,
      error,
    );
  }
}

async function openRedis(url: string): Promise<QueueServer> {
  const [bull, { createClient }] = await importOptional(
    () => Promise.all([import('bullmq'), import('@redis/client')]),
    'bullmq',
    '@redis/client',
  );
  const client = createClient({ url });
  // BullMQ reports the errors; without this listener, a lost connection would end the process.
  client.on('error', () => undefined);
  await client.connect();
  const connection = bull.createNodeRedisClient(client);
  // The connection forwards the client's errors, and nothing else listens while this process has no queue.
  connection.on('error', () => undefined);
  return {
    queue: (name, onError) => new bull.Queue(name, { connection }).on('error', onError),
    worker: (name, handle, options, onError) =>
      new bull.Worker(name, handle, { ...options, connection, autorun: false }).on('error', onError),
    async close() {
      if (client.isOpen) client.destroy();
    },
  };
}

async function openPostgres(url: string): Promise<QueueServer> {
  const [bull, { default: pg }] = await importOptional(
    () => Promise.all([import('bullmq'), import('pg')]),
    'bullmq',
    'pg',
  );
  const pool = new pg.Pool({
    connectionString: url,
    // BullMQ names its tables without their schema.
    options: `-c search_path=${bull.DEFAULT_SCHEMA}`,
    application_name: 'atelier inbox',
    max: POSTGRES_CONNECTIONS,
    keepAlive: true,
  });
  // BullMQ reports the errors; without listeners a lost connection would end the process, even while no query is using it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  await bull.runMigrations(pool);
  const connection = new SharedListenerPool(pool);
  const { Queue, Worker } = bull.withBackend(bull.createPostgresBackend);
  return {
    queue: (name, onError) => new Queue(name, { connection }).on('error', onError),
    worker: (name, handle, options, onError) =>
      new Worker(name, handle, { ...options, connection, autorun: false }).on('error', onError),
    close: () => connection.end(),
  };
}

/**
 * The pool that BullMQ gets. BullMQ reserves a connection for each queue from which it takes packets, to wait for notifications. All of them would listen on the same
 * channel, and Postgres would send every notification to each of them; here they share one connection.
 */
class SharedListenerPool extends EventEmitter {
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
