import { z } from 'zod';
import { PostgresPool, type Query } from './postgres-pool.ts';
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
export class PostgresFacts {
  readonly #pool: PostgresPool;
  readonly #query: Query;

  private constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.#query = pool.query;
  }

  static async open(connection: ServerConnection): Promise<PostgresFacts> {
    const facts = new PostgresFacts(await PostgresPool.open(connection, MAX_CONNECTIONS));
    try {
      await facts.#prepare();
      return facts;
    } catch (error) {
      await facts.close();
      throw error;
    }
  }

  async claim(name: string, holder: string, ms: number, ended?: string): Promise<boolean> {
    return (await this.#query(CLAIM, [name, holder, ms, ended ?? null])).length === 1;
  }

  async release(name: string, holder: string): Promise<void> {
    await this.#query(RELEASE, [name, holder]);
  }

  async claims(prefix: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#query(READ_CLAIMS, [prefix]);
    return new Map(rows.map(({ name, text }) => [String(name), String(text)]));
  }

  async read(name: string): Promise<string | undefined> {
    const [row] = await this.#query(READ, [name]);
    return row && String(row.text);
  }

  async write(name: string, text: string, { claim, holder }: { claim: string; holder: string }): Promise<boolean> {
    const [row] = await this.#query(WRITE, [claim, holder, name, text]);
    return row?.ours === true;
  }

  async replace(name: string, expected: string | undefined, newText: string): Promise<boolean> {
    const changed =
      expected === undefined
        ? await this.#query(ADD_NOTE, [name, newText])
        : await this.#query(REPLACE, [name, expected, newText]);
    return changed.length === 1;
  }

  async add(list: string, entry: string, ms: number): Promise<void> {
    await this.#query(ADD_ENTRY, [kindOf(list), entry, ms]);
  }

  async addedSince(list: string, since: number): Promise<{ entries: string[]; at: number }> {
    const [row] = await this.#query(ADDED_SINCE, [kindOf(list), since]);
    return addedSchema.parse(row);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** If the table exists, the user does not need the right to create one. */
  async #prepare(): Promise<void> {
    const [found] = await this.#query('SELECT to_regclass($1) AS found', [TABLE]);
    if (found?.found === null) await this.#query(CREATE_TABLE);
    await this.#query(DELETE_EXPIRED);
  }
}

const kindOf = (list: string): string => `list:${list}`;
