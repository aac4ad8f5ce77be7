import { type PlacedRow, type Range, type Row, type RowStore, rowsAtOnce, type StoreError } from '../backend.ts';
import type { LeaseServer } from '../lease.ts';
import { toRowStore } from './adapter.ts';
import { type PgRow, PostgresPool, type Query } from './postgres-pool.ts';
import type { Server, ServerParts } from './server-connection.ts';

// By the server's own clock. An expired lease stays in its row, since its number must keep growing.
const TAKE = `
  INSERT INTO atelier_lease (id, holder, number, renewals, ends)
  VALUES (1, $1, 1, 0, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE
    SET holder = excluded.holder, number = atelier_lease.number + 1, renewals = 0, ends = excluded.ends
    WHERE atelier_lease.ends <= clock_timestamp() OR atelier_lease.holder = $3
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

function createLeaseServer(query: Query): LeaseServer {
  return {
    async take(holder, ms, ended) {
      for (;;) {
        const [taken] = await query(TAKE, [holder, ms, ended ?? null]);
        if (taken) return Number(taken.number);
        const [held] = await query(LOOK);
        if (held) return { holder: String(held.holder), renewals: String(held.renewals), endsInMs: Number(held.left) };
      }
    },
    renew: async (holder, ms) => (await query(RENEW, [holder, ms])).length === 1,
    async giveBack(holder) {
      await query(GIVE_BACK, [holder]);
    },
  };
}

const TABLE = 'atelier';
/** Enough that tasks do not wait for each other's disk writes; a small server allows a hundred in all. */
const CONNECTIONS = 8;
/** Ids, days and members are short; a row that is set aside contains its former key. */
const LONGEST_KEY = 1_024;

/** Several processes may start at once. keyv's own table, but with keys in byte order, not in that of the database's language, and an index for iterating over one namespace. */
const TABLES = [
  `SELECT pg_advisory_xact_lock(hashtext('${TABLE}'))`,
  `CREATE TABLE IF NOT EXISTS ${TABLE} (
     key varchar(${LONGEST_KEY}) COLLATE "C" NOT NULL, value text, namespace varchar(255) COLLATE "C", expires bigint
   )`,
  `CREATE UNIQUE INDEX IF NOT EXISTS ${TABLE}_key_namespace_idx ON ${TABLE} (key, coalesce(namespace, ''))`,
  `CREATE INDEX IF NOT EXISTS ${TABLE}_namespace_idx ON ${TABLE} (namespace, key)`,
  `CREATE INDEX IF NOT EXISTS ${TABLE}_expires_idx ON ${TABLE} (expires) WHERE expires IS NOT NULL`,
  LEASE_TABLE,
];

/** One row while our lease lasts, else none. It is locked, so that no bot takes the lease before the statement ends. */
const HELD = `held AS (SELECT 1 FROM atelier_lease WHERE holder = $1 AND ends > clock_timestamp() FOR SHARE)`;

const WRITE = `
  WITH ${HELD}, written AS (
    INSERT INTO ${TABLE} (key, value, namespace, expires)
    SELECT k, v, $2::text, e FROM unnest($3::text[], $4::text[], $5::bigint[]) AS given(k, v, e), held
    ON CONFLICT (key, coalesce(namespace, '')) DO UPDATE SET value = excluded.value, expires = excluded.expires
  )
  SELECT count(*) = 1 AS ours FROM held`;

const REMOVE = `
  WITH ${HELD}, gone AS (DELETE FROM ${TABLE} USING held WHERE namespace = $2 AND key = ANY($3) RETURNING key)
  SELECT (SELECT count(*) = 1 FROM held) AS ours, array(SELECT key FROM gone) AS keys`;

const CLEAR_EXPIRED = `
  WITH ${HELD}, gone AS (DELETE FROM ${TABLE} USING held WHERE expires <= $2)
  SELECT count(*) = 1 AS ours FROM held`;

/** A store in Postgres: all namespaces share a few connections. */
export class Postgres implements Server {
  readonly name: string;
  readonly #parts: ServerParts;
  readonly #pool: PostgresPool;

  private constructor(parts: ServerParts, pool: PostgresPool) {
    this.name = parts.name;
    this.#parts = parts;
    this.#pool = pool;
  }

  static async open(parts: ServerParts): Promise<Postgres> {
    return new Postgres(parts, await PostgresPool.open({ ...parts, max: CONNECTIONS }));
  }

  async isEmpty(): Promise<boolean> {
    const [row] = await this.#pool.query('SELECT to_regclass($1) AS found', [TABLE]);
    return row?.found === null;
  }

  async prepare(): Promise<void> {
    // All or nothing; and where the tables exist, the user needs no right to create any.
    if (await this.isEmpty()) await this.#pool.query(TABLES.join(';\n'));
  }

  get leaseServer(): LeaseServer {
    return createLeaseServer(this.#pool.query);
  }

  get failure(): StoreError | undefined {
    return this.#parts.connection.failure;
  }

  adapter(namespace: string): RowStore {
    return toRowStore({
      read: (keys) => this.#read(namespace, keys),
      write: async (rows) => {
        const ends = rows.map(({ expires }) => expires ?? null);
        await this.#change(WRITE, [namespace, rows.map(({ key }) => key), rows.map(({ text }) => text), ends]);
      },
      remove: async (keys) => {
        const { keys: gone } = await this.#change(REMOVE, [namespace, keys]);
        return new Set(Array.isArray(gone) ? gone.map(String) : []);
      },
      all: () => this.#rows(namespace),
    });
  }

  async range(namespace: string, { from, end, max: most }: Range): Promise<Row[]> {
    const [comparison, start] = 'first' in from ? ['>=', from.first] : ['>', from.after];
    return this.#page(`key ${comparison} $2 AND key < $3`, [namespace, start, end], most);
  }

  async clearExpired(): Promise<void> {
    await this.#change(CLEAR_EXPIRED, [Date.now()]);
  }

  async countExpired(now: number): Promise<number> {
    const [row] = await this.#pool.query(`SELECT count(*) AS count FROM ${TABLE} WHERE expires <= $1`, [now]);
    return Number(row?.count);
  }

  /** In one transaction, which sees nothing that others write meanwhile. */
  async *everyRow(namespaces: readonly string[]): AsyncGenerator<PlacedRow> {
    yield* this.#pool.onOneConnection(async function* (query) {
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      for (const namespace of namespaces) {
        const max = rowsAtOnce(namespace);
        const sql = `SELECT key, value FROM ${TABLE} WHERE namespace = $1 AND key > $2 ORDER BY key LIMIT ${max}`;
        for (let after = '', isLast = false; !isLast; ) {
          const rows = (await query(sql, [namespace, after])).map(asRow);
          for (const row of rows) yield { namespace, ...row };
          isLast = rows.length < max;
          after = rows.at(-1)?.key ?? after;
        }
      }
      await query('COMMIT');
    });
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #read(namespace: string, keys: readonly string[]): Promise<(string | undefined)[]> {
    const there = '(expires IS NULL OR expires > $2) AND key = ANY($3)';
    const rows = await this.#page(there, [namespace, Date.now(), keys], keys.length);
    const texts = new Map(rows.map(({ key, text }) => [key, text]));
    return keys.map((key) => texts.get(key));
  }

  /** A statement whose first value is our lease's holder, and whose only row says whether the lease is still ours. */
  async #change(sql: string, values: readonly unknown[]): Promise<PgRow> {
    const { lease } = this.#parts;
    const [told] = await this.#pool.query(sql, [lease().holder, ...values]);
    if (!told?.ours) throw lease().lostError();
    return told;
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
    return (await this.#pool.query(sql, values)).map(asRow);
  }
}

const asRow = ({ key, value }: PgRow): Row => ({ key: String(key), text: String(value) });
