import type { LeaseServer } from '../lease.ts';
import type { Query } from './postgres-pool.ts';

/** The second key makes a change of the holder a change of a key, which waits for the writes that lock the row FOR KEY SHARE; nothing else would be safe. */
export const LEASE_TABLE = `
  CREATE TABLE IF NOT EXISTS atelier_lease (
    id integer PRIMARY KEY, holder text NOT NULL, number bigint NOT NULL, renewals bigint NOT NULL, ends timestamptz NOT NULL,
    UNIQUE (id, holder)
  )`;

export const leaseId = (partition: number): number => partition + 1;

// Uses the server's own clock. An expired lease stays in its row, because its number must keep growing.
const ACQUIRE = `
  INSERT INTO atelier_lease (id, holder, number, renewals, ends)
  VALUES ($1, $2, 1, 0, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE
    SET holder = excluded.holder, number = atelier_lease.number + 1, renewals = 0, ends = excluded.ends
    WHERE atelier_lease.ends <= clock_timestamp() OR atelier_lease.holder = $4
  RETURNING number`;

/** Returns no row if the lease has been released since. */
const READ = `
  SELECT holder, renewals, greatest(0, extract(epoch FROM ends - clock_timestamp()) * 1000) AS left FROM atelier_lease
  WHERE id = $1 AND ends > '-infinity'`;

const RENEW = `
  UPDATE atelier_lease SET renewals = renewals + 1, ends = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE id = $1 AND holder = $2 AND ends > clock_timestamp() RETURNING number`;

const RELEASE = `UPDATE atelier_lease SET ends = '-infinity' WHERE id = $1 AND holder = $2`;

const HOLDERS = `SELECT id, holder FROM atelier_lease WHERE id <= $1 AND ends > clock_timestamp()`;

export function createPostgresLeaseServer(query: Query, partition: number): LeaseServer {
  const id = leaseId(partition);
  return {
    async acquire(holder, ms, ended) {
      for (;;) {
        const [acquired] = await query(ACQUIRE, [id, holder, ms, ended ?? null]);
        if (acquired) return Number(acquired.number);
        const [held] = await query(READ, [id]);
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
export async function readPostgresHolders(query: Query, count: number): Promise<Map<number, string>> {
  const rows = await query(HOLDERS, [leaseId(count - 1)]);
  return new Map(rows.map(({ id, holder }) => [Number(id) - 1, String(holder)]));
}
