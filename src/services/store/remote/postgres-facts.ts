import { z } from 'zod';
import type { SharedFacts } from '../shared-facts.ts';
import { openPool } from './postgres-pool.ts';
import type { ServerConnection } from './server-connection.ts';

const TABLE = 'atelier_facts';
/** Facts are few and small. */
const MAX_CONNECTIONS = 2;

/** The text of a claim is its holder; a note never expires; the text of a list entry is the time at which it was added, in milliseconds. */
const CREATE_TABLE = `
  SELECT pg_advisory_xact_lock(hashtext('${TABLE}'));
  CREATE TABLE IF NOT EXISTS ${TABLE} (
    kind text NOT NULL, name text COLLATE "C" NOT NULL, text text NOT NULL, ends timestamptz NOT NULL,
    PRIMARY KEY (kind, name)
  )`;

/** Claims that their holders renew in the meantime are skipped. */
const DELETE_EXPIRED = `
  DELETE FROM ${TABLE} WHERE (kind, name) IN (
    SELECT kind, name FROM ${TABLE} WHERE kind = 'claim' AND ends <= clock_timestamp() FOR UPDATE SKIP LOCKED
  )`;

const CLAIM = `
  INSERT INTO ${TABLE} AS known (kind, name, text, ends)
  VALUES ('claim', $1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (kind, name) DO UPDATE SET text = excluded.text, ends = clock_timestamp() + $3 * interval '1 millisecond'
    WHERE known.ends <= clock_timestamp() OR known.text = $2 OR known.text = $4
  RETURNING name`;

const RELEASE = `DELETE FROM ${TABLE} WHERE kind = 'claim' AND name = $1 AND text = $2`;

const READ_CLAIMS = `
  SELECT name, text FROM ${TABLE} WHERE kind = 'claim' AND starts_with(name, $1) AND ends > clock_timestamp() ORDER BY name`;

const READ = `SELECT text FROM ${TABLE} WHERE kind = 'note' AND name = $1`;

/** The claim is locked, so that no other process takes it before the statement ends. */
const WRITE = `
  WITH held AS (
    SELECT 1 FROM ${TABLE} WHERE kind = 'claim' AND name = $1 AND text = $2 AND ends > clock_timestamp() FOR SHARE
  ), written AS (
    INSERT INTO ${TABLE} (kind, name, text, ends) SELECT 'note', $3::text, $4::text, 'infinity' FROM held
    ON CONFLICT (kind, name) DO UPDATE SET text = excluded.text
  )
  SELECT count(*) = 1 AS ours FROM held`;

const ADD_NOTE = `
  INSERT INTO ${TABLE} (kind, name, text, ends) VALUES ('note', $1, $2, 'infinity') ON CONFLICT DO NOTHING RETURNING name`;

const REPLACE = `UPDATE ${TABLE} SET text = $3 WHERE kind = 'note' AND name = $1 AND text = $2 RETURNING name`;

const ADD_ENTRY = `
  WITH forgotten AS (
    DELETE FROM ${TABLE} WHERE (kind, name) IN (
      SELECT kind, name FROM ${TABLE} WHERE kind = $1 AND name <> $2 AND ends <= clock_timestamp() FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO ${TABLE} (kind, name, text, ends)
  VALUES ($1, $2, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (kind, name) DO UPDATE SET text = excluded.text, ends = excluded.ends`;

/** CASE is needed because conditions may be evaluated in any order, and the text of other rows is not a number. */
const ADDED_SINCE = `
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS at, (
    SELECT coalesce(array_agg(name ORDER BY text::bigint), '{}') FROM ${TABLE}
    WHERE kind = $1 AND ends > clock_timestamp() AND CASE WHEN kind = $1 THEN text::bigint >= $2 END
  ) AS entries`;

const addedSchema = z.object({ at: z.coerce.number(), entries: z.array(z.string()) });

/** Claims and notes are rows of one table. */
export async function openPostgresFacts(connection: ServerConnection): Promise<SharedFacts> {
  const { query, close } = await openPool(connection, MAX_CONNECTIONS);
  try {
    // If the table exists, the user does not need the right to create one.
    const [found] = await query('SELECT to_regclass($1) AS found', [TABLE]);
    if (found?.found === null) await query(CREATE_TABLE);
    await query(DELETE_EXPIRED);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    claim: async (name, holder, ms, ended) => (await query(CLAIM, [name, holder, ms, ended ?? null])).length === 1,
    release: async (name, holder) => void (await query(RELEASE, [name, holder])),
    async claims(prefix) {
      const rows = await query(READ_CLAIMS, [prefix]);
      return new Map(rows.map(({ name, text }) => [String(name), String(text)]));
    },
    async read(name) {
      const [row] = await query(READ, [name]);
      return row && String(row.text);
    },
    async write(name, text, { claim, holder }) {
      const [row] = await query(WRITE, [claim, holder, name, text]);
      return row?.ours === true;
    },
    async replace(name, expected, newText) {
      const changed =
        expected === undefined
          ? await query(ADD_NOTE, [name, newText])
          : await query(REPLACE, [name, expected, newText]);
      return changed.length === 1;
    },
    add: async (list, entry, ms) => void (await query(ADD_ENTRY, [kindOf(list), entry, ms])),
    async addedSince(list, since) {
      const [row] = await query(ADDED_SINCE, [kindOf(list), since]);
      return addedSchema.parse(row);
    },
    close,
  };
}

const kindOf = (list: string): string => `list:${list}`;
