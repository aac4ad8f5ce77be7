import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Pool, PoolClient } from 'pg';
import { systemClock, withTimeout } from '../../../lib/clock.ts';
import { importOptional } from './adapter.ts';
import type { ServerConnection } from './server-connection.ts';

interface PoolParts {
  url: string;
  /** The time limit of each request. */
  limitMs: number;
  /** The maximum number of connections. */
  max: number;
  connection: ServerConnection;
}

export type PgRow = Record<string, unknown>;
export type Query = (sql: string, values?: unknown[]) => Promise<PgRow[]>;

/** Connections to Postgres. Each statement gets a free one. */
export class PostgresPool {
  readonly #parts: PoolParts;
  readonly #pool: Pool;
  #ending: Promise<void> | undefined;

  private constructor(parts: PoolParts, pool: Pool) {
    this.#parts = parts;
    this.#pool = pool;
  }

  static async open(parts: PoolParts): Promise<PostgresPool> {
    const { default: pg } = await importOptional(() => import('pg'), 'pg');
    const pool = new pg.Pool({
      connectionString: parts.url,
      application_name: 'atelier',
      max: parts.max,
      connectionTimeoutMillis: parts.limitMs,
      keepAlive: true,
      // The server would otherwise wait for a lock long after this process has given up, and hold its own locks in the meantime.
      statement_timeout: Math.ceil(parts.limitMs),
      // A connection that the server never closes must not keep a stopped bot from ending.
      allowExitOnIdle: true,
    });
    // The caller gets the error; without listeners a broken connection would also end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new PostgresPool(parts, pool);
  }

  readonly query: Query = (sql, values) => this.#parts.connection.run((signal) => this.#run(sql, values, signal));

  /** Runs statements that belong together, such as a transaction, on one connection. */
  async *onOneConnection<T>(work: (query: Query) => AsyncGenerator<T>): AsyncGenerator<T> {
    const { connection } = this.#parts;
    const client = await connection.run(() => this.#pool.connect());
    let isHealthy = false;
    try {
      yield* work((sql, values) => connection.run((signal) => runOn(client, sql, values, signal)));
      isHealthy = true;
    } finally {
      client.release(!isHealthy);
    }
  }

  async close(): Promise<void> {
    this.#ending ??= this.#pool.end();
    await withTimeout(systemClock, this.#parts.limitMs, this.#ending);
  }

  async #run(sql: string, values: unknown[] | undefined, signal: AbortSignal): Promise<PgRow[]> {
    const client = await this.#pool.connect();
    let isHealthy = false;
    try {
      const rows = await runOn(client, sql, values, signal);
      isHealthy = true;
      return rows;
    } catch (error) {
      isHealthy = error instanceof Error && 'severity' in error;
      throw error;
    } finally {
      client.release(!isHealthy);
    }
  }
}

async function runOn(
  client: PoolClient,
  sql: string,
  values: unknown[] | undefined,
  signal: AbortSignal,
): Promise<PgRow[]> {
  const reset = (): void => resetConnection(client.connection.stream);
  signal.addEventListener('abort', reset);
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    signal.removeEventListener('abort', reset);
  }
}

/** An aborted request must not reach the server after a later one; an encrypted connection can only be closed, not cancelled. */
function resetConnection(stream: Duplex): void {
  if (stream instanceof Socket && !(stream instanceof TLSSocket) && stream.remotePort !== undefined)
    stream.resetAndDestroy();
  else stream.destroy();
}
