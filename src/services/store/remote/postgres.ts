import { type Change, type NamespacedRow, type Range, type Row, readBatchSize } from '../backend.ts';
import type { Lease, LeaseServer } from '../lease.ts';
import { openPool, type PgRow, type PostgresPool, type Query } from './postgres-pool.ts';
import type { Server, ServerConnection } from './server-connection.ts';
import { ServerStore } from './server-store.ts';

/** The second key makes a change of the holder a change of a key, which waits for the writes that lock the row FOR KEY SHARE; nothing else would be safe. */
const LEASE_TABLE = `
  CREATE TABLE IF NOT EXISTS atelier_lease (
    id integer PRIMARY KEY, holder text NOT NULL, number bigint NOT NULL, renewals bigint NOT NULL, ends timestamptz NOT NULL,
    UNIQUE (id, holder)
  )`;

const leaseId = (partition: number): number => partition + 1;

// Uses the server's own clock. An expired lease stays in its row, because its number must keep growing.
const ACQUIRE = `
  INSERT INTO atelier_lease (id, holder, number, renewals, ends)
  VALUES ($1, $2, 1, 0, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE
    SET holder = excluded.holder, number = atelier_lease.number + 1, renewals = 0, ends = excluded.ends
    WHERE atelier_lease.ends <= clock_timestamp() OR atelier_lease.holder = $4
  RETURNING number`;

/** Returns no row if the lease has been released since. */
const READ_LEASE = `
  SELECT holder, renewals, greatest(0, extract(epoch FROM ends - clock_timestamp()) * 1000) AS left FROM atelier_lease
  WHERE id = $1 AND ends > '-infinity'`;

const RENEW = `
  UPDATE atelier_lease SET renewals = renewals + 1, ends = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE id = $1 AND holder = $2 AND ends > clock_timestamp() RETURNING number`;

const RELEASE = `UPDATE atelier_lease SET ends = '-infinity' WHERE id = $1 AND holder = $2`;

const HOLDERS = `SELECT id, holder FROM atelier_lease WHERE id <= $1 AND ends > clock_timestamp()`;

function createPostgresLeaseServer(query: Query, partition: number): LeaseServer {
  const id = leaseId(partition);
  return {
    async acquire(holder, ms, ended) {
      for (;;) {
        const [acquired] = await query(ACQUIRE, [id, holder, ms, ended ?? null]);
        if (acquired) return Number(acquired.number);
        const [held] = await query(READ_LEASE, [id]);
        if (held) return { holder: String(held.holder), renewals: String(held.renewals), endsInMs: Number(held.left) };
      }
    },
    renew: async (holder, ms) => (await query(RENEW, [id, holder, ms])).length === 1,
    async release(holder) {
      await query(RELEASE, [id, holder]);
    },
  };
}

/** The current lease holders of the first `count` partitions. */
async function readPostgresHolders(query: Query, count: number): Promise<Map<number, string>> {
  const rows = await query(HOLDERS, [leaseId(count - 1)]);
  return new Map(rows.map(({ id, holder }) => [Number(id) - 1, String(holder)]));
}

const TABLE = 'atelier';
/** Enough connections that reads and partitions do not wait for each other's disk writes; a small server allows a hundred in total. */
const MAX_CONNECTIONS = 8;
/** The maximum length of a key. Ids, days and members are short, but a row that is set aside contains its former key. */
const MAX_KEY_LENGTH = 1_024;

/**
 * Takes a lock, because several processes may start at once. Then creates keyv's own table, but with keys in byte order instead of
 * the order of the database's language, and with an index for iterating over one namespace.
 */
const TABLES = [
  `SELECT pg_advisory_xact_lock(hashtext('${TABLE}'))`,
  `CREATE TABLE IF NOT EXISTS ${TABLE} (
     key varchar(${MAX_KEY_LENGTH}) COLLATE "C" NOT NULL, value text, namespace varchar(255) COLLATE "C", expires bigint
   )`,
  `CREATE UNIQUE INDEX IF NOT EXISTS ${TABLE}_key_namespace_idx ON ${TABLE} (key, coalesce(namespace, ''))`,
  `CREATE INDEX IF NOT EXISTS ${TABLE}_namespace_idx ON ${TABLE} (namespace, key)`,
  `CREATE INDEX IF NOT EXISTS ${TABLE}_expires_idx ON ${TABLE} (expires) WHERE expires IS NOT NULL`,
  LEASE_TABLE,
];

/** Whether a row belongs to the partition whose namespaces have this prefix. */
const inPartition = (prefix: string): string => `left(namespace, strpos(namespace, '/')) = ${prefix}`;

/**
 * Returns one row while the bot's lease is valid, and none otherwise. The lock keeps the key of the row, which includes the holder, until the statement has been
 * committed. It does not keep the lease from being renewed: a steady stream of writes would otherwise hold up every renewal.
 */
const HELD_LEASE = `held AS (SELECT 1 FROM atelier_lease WHERE id = $1 AND holder = $2 AND ends > clock_timestamp() FOR KEY SHARE)`;

/** Writes the given rows, and deletes those without a value. */
const WRITE = `
  WITH ${HELD_LEASE}, given AS (
    SELECT n, k, v, e FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) AS rows(n, k, v, e), held
  ), written AS (
    INSERT INTO ${TABLE} (namespace, key, value, expires) SELECT n, k, v, e FROM given WHERE v IS NOT NULL
    ON CONFLICT (key, coalesce(namespace, '')) DO UPDATE SET value = excluded.value, expires = excluded.expires
  ), gone AS (DELETE FROM ${TABLE} USING given WHERE v IS NULL AND namespace = n AND key = k)
  SELECT count(*) = 1 AS ours FROM held`;

const CLEAR_EXPIRED = `
  WITH ${HELD_LEASE}, gone AS (DELETE FROM ${TABLE} USING held WHERE expires <= $3 AND ${inPartition('$4')})
  SELECT count(*) = 1 AS ours FROM held`;

/** Every bot writes to the namespace `meta` when it starts. */
const USED_PARTITIONS = `
  SELECT DISTINCT coalesce(substring(namespace FROM '^p([0-9]+)/'), '0') AS number FROM ${TABLE}
  WHERE namespace = 'meta' OR namespace ~ '^p[0-9]+/meta$'`;

/** Settings with which a confirmed order can be lost. */
const UNSAFE_SETTINGS = `
  SELECT name FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`;

/** All namespaces of all partitions share a few connections. */
export async function openPostgres(connection: ServerConnection): Promise<Server> {
  const pool = await openPool(connection, MAX_CONNECTIONS);
  return {
    connection,
    store: (partition, lease) => new Postgres(pool, partition, lease),
    leaseServer: (partition) => createPostgresLeaseServer(pool.query, partition),
    isEmpty: async () => !(await isPrepared(pool)),
    holders: (count) => readPostgresHolders(pool.query, count),
    async usedPartitions() {
      const rows = await pool.query(USED_PARTITIONS);
      return rows.map(({ number }) => Number(number)).sort((a, b) => a - b);
    },
    async warnings() {
      const rows = await pool.query(UNSAFE_SETTINGS);
      return rows.map(
        ({ name: setting }) =>
          `This Postgres has ${setting} off, so recent orders can be lost in a power failure. Set ${setting} to on.`,
      );
    },
    async prepare() {
      // All tables are created or none, and if they exist, the user does not need the right to create any.
      if (!(await isPrepared(pool))) await pool.query(TABLES.join(';\n'));
    },
    close: pool.close,
  };
}

async function isPrepared(pool: PostgresPool): Promise<boolean> {
  const [row] = await pool.query('SELECT to_regclass($1) AS found', [TABLE]);
  return row?.found !== null;
}

class Postgres extends ServerStore {
  readonly #pool: PostgresPool;
  readonly #partition: number;
  /** The prefix of every namespace. */
  readonly #prefix: string;

  constructor(pool: PostgresPool, partition: number, lease: Lease | undefined) {
    super(pool.connection, partition, lease);
    this.#pool = pool;
    this.#partition = partition;
    this.#prefix = partition === 0 ? '' : `p${partition}/`;
  }

  async write(changes: readonly Change[]): Promise<void> {
    await this.#change(WRITE, [
      changes.map(({ namespace }) => this.#prefix + namespace),
      changes.map(({ key }) => key),
      changes.map(({ text }) => text ?? null),
      changes.map(({ expires }) => expires ?? null),
    ]);
  }

  async range(namespace: string, { after, before, isReversed, max }: Range): Promise<Row[]> {
    return this.#page(namespace, 'key > $3 AND key < $4', [after, before], max, isReversed ? 'DESC' : 'ASC');
  }

  async clearExpired(): Promise<void> {
    await this.#change(CLEAR_EXPIRED, [Date.now(), this.#prefix]);
  }

  /** Reads in one transaction, which does not see what others write in the meantime. */
  async *everyRow(namespaces: readonly string[]): AsyncGenerator<NamespacedRow> {
    const prefix = this.#prefix;
    yield* this.#pool.onOneConnection(async function* (query) {
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      for (const namespace of namespaces) {
        const max = readBatchSize(namespace);
        const sql = `SELECT key, value FROM ${TABLE} WHERE namespace = $1 AND key > $2 ORDER BY key LIMIT ${max}`;
        for (let lastKey = '', isLast = false; !isLast; ) {
          const rows = (await query(sql, [prefix + namespace, lastKey])).map(asRow);
          for (const row of rows) yield { namespace, ...row };
          isLast = rows.length < max;
          lastKey = rows.at(-1)?.key ?? lastKey;
        }
      }
      await query('COMMIT');
    });
  }

  protected async read(namespace: string, keys: readonly string[]): Promise<(string | undefined)[]> {
    const rows = await this.#page(namespace, 'key = ANY($3)', [keys], keys.length);
    const texts = new Map(rows.map(({ key, text }) => [key, text]));
    return keys.map((key) => texts.get(key));
  }

  /** Runs a statement whose first values are the bot's lease and its holder, and whose only row says whether the lease is still valid. */
  async #change(sql: string, values: readonly unknown[]): Promise<void> {
    await this.change(async (holder) => {
      const [row] = await this.#pool.query(sql, [leaseId(this.#partition), holder, ...values]);
      return row?.ours === true;
    });
  }

  async #page(namespace: string, where: string, values: unknown[], limit: number, order = 'ASC'): Promise<Row[]> {
    const live = 'namespace = $1 AND (expires IS NULL OR expires > $2)';
    const sql = `SELECT key, value FROM ${TABLE} WHERE ${live} AND ${where} ORDER BY key ${order} LIMIT ${limit}`;
    return (await this.#pool.query(sql, [this.#prefix + namespace, Date.now(), ...values])).map(asRow);
  }
}

const asRow = ({ key, value }: PgRow): Row => ({ key: String(key), text: String(value) });
