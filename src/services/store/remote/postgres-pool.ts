import { addAbortListener } from 'node:events';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Pool, PoolClient } from 'pg';
import { systemClock, withTimeout } from '../../../lib/clock.ts';
import { once } from '../../../lib/once.ts';
import { importOptional } from '../import-optional.ts';
import type { ServerConnection } from './server-connection.ts';

export type PgRow = Record<string, unknown>;
export type Query = (sql: string, values?: unknown[]) => Promise<PgRow[]>;

export type PostgresPool = Awaited<ReturnType<typeof openPool>>;

/** Connections to Postgres. Each statement gets a free one. */
export async function openPool(connection: ServerConnection, max: number) {
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
  const end = once(() => pool.end());
  const query: Query = (sql, values) => connection.run((signal) => runOnAny(pool, sql, values, signal));
  return {
    connection,
    query,
    /** Runs statements that belong together, such as a transaction, on one connection. */
    async *onOneConnection<T>(work: (query: Query) => AsyncGenerator<T>): AsyncGenerator<T> {
      const client = await connection.run(() => pool.connect());
      let isHealthy = false;
      try {
        yield* work((sql, values) => connection.run((signal) => runOn(client, sql, values, signal)));
        isHealthy = true;
      } finally {
        client.release(!isHealthy);
      }
    },
    async close(): Promise<void> {
      connection.close();
      await withTimeout(systemClock, connection.limitMs, end());
    },
  };
}

async function runOnAny(pool: Pool, sql: string, values: unknown[] | undefined, signal: AbortSignal): Promise<PgRow[]> {
  const client = await pool.connect();
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
