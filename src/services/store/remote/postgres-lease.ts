import type { LeaseDesk } from '../lease/lease-desk.ts';
import type { Query } from './postgres.ts';

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

export const LEASE_TABLE = `
  CREATE TABLE IF NOT EXISTS atelier_lease (
    id integer PRIMARY KEY, holder text NOT NULL, number bigint NOT NULL, renewals bigint NOT NULL, ends timestamptz NOT NULL
  )`;

export function postgresLease(query: Query): LeaseDesk {
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
