import { systemClock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { publicName, type StoreAddress } from '../../store/backend.ts';
import { importOptional } from '../../store/import-optional.ts';
import { StoreError } from '../../tasks/store-error.ts';
import { Inbox, type QueueServer } from '../inbox.ts';
import { SharedListenerPool } from './shared-listener-pool.ts';

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
