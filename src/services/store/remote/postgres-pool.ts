import { addAbortListener } from 'node:events';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Pool, PoolClient } from 'pg';
import { systemClock, withTimeout } from '../../../lib/clock.ts';
import { importOptional } from '../import-optional.ts';
import type { ServerConnection } from './server-connection.ts';

export type PgRow = Record<string, unknown>;
export type Query = (sql: string, values?: unknown[]) => Promise<PgRow[]>;

/** Connections to Postgres. Each statement gets a free one. */
export class PostgresPool {
  readonly connection: ServerConnection;
  readonly #pool: Pool;
  #ending: Promise<void> | undefined;

  private constructor(connection: ServerConnection, pool: Pool) {
    this.connection = connection;
    this.#pool = pool;
  }

  static async open(connection: ServerConnection, max: number): Promise<PostgresPool> {
    const { default: pg } = await importOptional(() => import('pg'), 'pg');
    const pool = new pg.Pool({
      connectionString: connection.url,
      application_name: 'atelier',
      max,
      connectionTimeoutMillis: connection.limitMs,
      keepAlive: true,
      // The server would otherwise wait for a lock long after this process has given up, and hold its own locks in the meantime.
      statement_timeout: Math.ceil(connection.limitMs),
      // A connection that the server never closes must not keep a stopped bot from ending.
      allowExitOnIdle: true,
    });
    // The caller gets the error; without listeners a broken connection would also end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new PostgresPool(connection, pool);
  }

  readonly query: Query = (sql, values) => this.connection.run((signal) => this.#run(sql, values, signal));

  /** Runs statements that belong together, such as a transaction, on one connection. */
  async *onOneConnection<T>(work: (query: Query) => AsyncGenerator<T>): AsyncGenerator<T> {
    const client = await this.connection.run(() => this.#pool.connect());
    let isHealthy = false;
    try {
      yield* work((sql, values) => this.connection.run((signal) => runOn(client, sql, values, signal)));
      isHealthy = true;
    } finally {
      client.release(!isHealthy);
    }
  }

  async close(): Promise<void> {
    this.connection.close();
    this.#ending ??= this.#pool.end();
    await withTimeout(systemClock, this.connection.limitMs, this.#ending);
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
  using _listener = addAbortListener(signal, () => resetConnection(client.connection.stream));
  return (await client.query(sql, values)).rows;
}

/** An aborted request must not reach the server after a later one; an encrypted connection can only be closed, not cancelled. */
function resetConnection(stream: Duplex): void {
  if (stream instanceof Socket && !(stream instanceof TLSSocket) && stream.remotePort !== undefined)
    stream.resetAndDestroy();
  else stream.destroy();
}
