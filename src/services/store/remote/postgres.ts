import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { KeyvPostgres } from '@keyv/postgres';
import type { KeyvStorageAdapter } from 'keyv';
import type { Pool } from 'pg';
import { systemClock, within } from '../../../lib/clock.ts';
import { type Range, ROWS_AT_ONCE, type Row, rowsAtOnce, type StoreError } from '../backend.ts';
import type { LeaseDesk } from '../lease.ts';
import { checked, optional } from './adapter.ts';
import type { Server, ServerParts } from './line.ts';

// By the server's own clock, whichever machine asks. A lease that has run out stays where it is, for its number goes on.
const TAKE = `
  INSERT INTO atelier_lease (id, holder, number, renewals, ends)
  VALUES (1, $1, 1, 0, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE
    SET holder = excluded.holder, number = atelier_lease.number + 1, renewals = 0, ends = excluded.ends
    WHERE atelier_lease.ends <= clock_timestamp()
  RETURNING number`;

const LOOK = `
  SELECT holder, renewals, greatest(0, extract(epoch FROM ends - clock_timestamp()) * 1000) AS left FROM atelier_lease`;

const RENEW = `
  UPDATE atelier_lease SET renewals = renewals + 1, ends = clock_timestamp() + $2 * interval '1 millisecond'
  WHERE holder = $1 AND ends > clock_timestamp() RETURNING number`;

const GIVE_BACK = `UPDATE atelier_lease SET ends = '-infinity' WHERE holder = $1`;

const LEASE_TABLE = `
  CREATE TABLE IF NOT EXISTS atelier_lease (
    id integer PRIMARY KEY, holder text NOT NULL, number bigint NOT NULL, renewals bigint NOT NULL, ends timestamptz NOT NULL
  )`;

function leaseDesk(query: Query): LeaseDesk {
  return {
    async take(holder, ms) {
      for (;;) {
        const [taken] = await query(TAKE, [holder, ms]);
        if (taken) return Number(taken.number);
        const [held] = await query(LOOK);
        if (held) return { mark: `${held.holder} ${held.renewals}`, endsInMs: Number(held.left) };
      }
    },
    renew: async (holder, ms) => (await query(RENEW, [holder, ms])).length === 1,
    async giveBack(holder) {
      await query(GIVE_BACK, [holder]);
    },
  };
}

type Rows = Record<string, unknown>[];
type Query = (sql: string, values?: unknown[]) => Promise<Rows>;

const TABLE = 'atelier';
/** Enough that tasks do not wait for each other's way to the disk; a small server allows a hundred to everybody together. */
const CONNECTIONS = 8;
/** Ids, days and members are short; what is set aside carries the key it had. */
const LONGEST_KEY = 1_024;

/**
 * As the adapter would make it, but for two things: keys in the order of their bytes, whichever language the database speaks, and an index for
 * going through one namespace.
 */
const TABLES = [
  `CREATE TABLE IF NOT EXISTS ${TABLE} (
     key varchar(${LONGEST_KEY}) COLLATE "C" NOT NULL, value text, namespace varchar(255) COLLATE "C", expires bigint
   )`,
  `CREATE UNIQUE INDEX IF NOT EXISTS ${TABLE}_key_namespace_idx ON ${TABLE} (key, coalesce(namespace, ''))`,
  `CREATE INDEX IF NOT EXISTS ${TABLE}_namespace_idx ON ${TABLE} (namespace, key)`,
  `CREATE INDEX IF NOT EXISTS ${TABLE}_expires_idx ON ${TABLE} (expires) WHERE expires IS NOT NULL`,
  LEASE_TABLE,
];

type AdapterClass = new (options: { table: string; iterationLimit: number }) => KeyvStorageAdapter;

/** A store in a Postgres: a few connections that all namespaces share. */
export class Postgres implements Server {
  readonly name: string;
  readonly #parts: ServerParts;
  readonly #pool: Pool;
  readonly #Adapter: typeof KeyvPostgres;

  private constructor(parts: ServerParts, pool: Pool, Adapter: typeof KeyvPostgres) {
    this.name = parts.name;
    this.#parts = parts;
    this.#pool = pool;
    this.#Adapter = Adapter;
  }

  static async open(parts: ServerParts): Promise<Postgres> {
    const [{ default: pg }, { KeyvPostgres: Adapter }] = await optional(
      () => Promise.all([import('pg'), import('@keyv/postgres')]),
      '@keyv/postgres',
      'pg',
    );
    const pool = new pg.Pool({
      connectionString: parts.url,
      application_name: 'atelier',
      max: CONNECTIONS,
      connectionTimeoutMillis: parts.limitMs,
      keepAlive: true,
      // What the server never closes must not keep a bot from ending that was told to.
      allowExitOnIdle: true,
    });
    // Whoever asked over a connection that breaks is told; without listeners it would end the process as well, in use or not.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new Postgres(parts, pool, Adapter);
  }

  async isEmpty(): Promise<boolean> {
    const [row] = await this.#query('SELECT to_regclass($1) AS found', [TABLE]);
    return row?.found === null;
  }

  async prepare(): Promise<void> {
    // All at once or not at all; and where they are already, their user need not be allowed to make any.
    if (await this.isEmpty()) await this.#query(TABLES.join(';\n'));
  }

  get desk(): LeaseDesk {
    return leaseDesk(this.#query);
  }

  get failure(): StoreError | undefined {
    return this.#parts.line.failure;
  }

  adapter(namespace: string): KeyvStorageAdapter {
    const { mustBeOurs } = this.#parts;
    const adapter = this.#adapterOn(this.#query);
    adapter.namespace = namespace;
    // A failed write is told there, and `false` is all that its caller would get.
    adapter.on('error', (error: unknown) => {
      throw error;
    });
    return checked({ adapter, ask: (work) => work(), mustBeOurs, rows: () => this.#rows(namespace) });
  }

  async range(namespace: string, { from, end, most }: Range): Promise<Row[]> {
    const [comparison, start] = 'first' in from ? ['>=', from.first] : ['>', from.after];
    return this.#page(`key ${comparison} $2 AND key < $3`, [namespace, start, end], most);
  }

  async clearExpired(): Promise<void> {
    this.#parts.mustBeOurs();
    await this.#query(`DELETE FROM ${TABLE} WHERE expires <= $1`, [Date.now()]);
  }

  async countExpired(now: number): Promise<number> {
    const [row] = await this.#query(`SELECT count(*) AS count FROM ${TABLE} WHERE expires <= $1`, [now]);
    return Number(row?.count);
  }

  readonly #query: Query = (sql, values) => this.#parts.line.ask((signal) => this.#run(sql, values, signal));

  async close(): Promise<void> {
    await within(systemClock, this.#parts.limitMs, this.#pool.end());
  }

  async *#rows(namespace: string): AsyncGenerator<[key: string, text: string]> {
    const most = rowsAtOnce(namespace);
    let after: string | undefined;
    for (;;) {
      const beyond = after === undefined ? 'true' : 'key > $3';
      const values = [namespace, Date.now(), ...(after === undefined ? [] : [after])];
      const rows = await this.#page(`(expires IS NULL OR expires > $2) AND ${beyond}`, values, most);
      for (const { key, text } of rows) yield [key, text];
      after = rows.at(-1)?.key;
      if (rows.length < most) return;
    }
  }

  async #page(where: string, values: unknown[], most: number): Promise<Row[]> {
    const sql = `SELECT key, value FROM ${TABLE} WHERE namespace = $1 AND ${where} ORDER BY key LIMIT ${most}`;
    const rows = await this.#query(sql, values);
    return rows.map(({ key, value }) => ({ key: String(key), text: String(value) }));
  }

  /**
   * The adapter keeps its connections to itself, and dies of one that breaks. It is given ours where it would make its own; that place is
   * private to its types, and pinned by our tests.
   */
  #adapterOn(query: Query): KeyvStorageAdapter {
    class Given extends (this.#Adapter as unknown as AdapterClass) {
      protected init(): Promise<Query> {
        return Promise.resolve(query);
      }

      /** All or none: the adapter would delete each by itself, in no order. */
      override async deleteMany(keys: string[]): Promise<boolean[]> {
        const sql = `DELETE FROM ${TABLE} WHERE key = ANY($1) AND namespace = $2 RETURNING key`;
        const gone = new Set((await query(sql, [keys, this.namespace])).map(({ key }) => key));
        return keys.map((key) => gone.has(key));
      }
    }
    return new Given({ table: TABLE, iterationLimit: ROWS_AT_ONCE });
  }

  async #run(sql: string, values: unknown[] = [], signal: AbortSignal): Promise<Rows> {
    const client = await this.#pool.connect();
    const reset = (): void => cut(client.connection.stream);
    signal.addEventListener('abort', reset);
    let isWell = false;
    try {
      const { rows } = await client.query(sql, values);
      isWell = true;
      return rows;
    } catch (error) {
      isWell = error instanceof Error && 'severity' in error;
      throw error;
    } finally {
      signal.removeEventListener('abort', reset);
      client.release(!isWell);
    }
  }
}

/** What nobody waits for any more must not reach the server later than what is asked after it; an encrypted way can only be closed. */
function cut(stream: Duplex): void {
  if (stream instanceof Socket && !(stream instanceof TLSSocket) && stream.remotePort !== undefined)
    stream.resetAndDestroy();
  else stream.destroy();
}
