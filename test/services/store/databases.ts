import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';

interface Database {
  name: string;
  url: string;
  client: pg.Client;
}

const CLOSE_LIMIT_MS = 20_000;
const END_OTHER_CONNECTIONS = `
  SELECT pg_terminate_backend(pid, ${CLOSE_LIMIT_MS}) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const EMPTY = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
    CREATE SCHEMA public;
  END $$`;

/** Empty databases of Postgres. Creating one takes a tenth of a second, so those of former tests are used again. */
const empty: Database[] = [];

/** A database for one test. */
export async function takeDatabase(server: string): Promise<Database> {
  const database = empty.pop() ?? (await createDatabase(server));
  onTestFinished(async () => {
    await database.client.query(END_OTHER_CONNECTIONS);
    await database.client.query(EMPTY);
    empty.push(database);
  });
  return database;
}

async function createDatabase(server: string): Promise<Database> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const client = new pg.Client(url.href);
  await client.connect();
  return { name, url: url.href, client };
}

/** Drops the databases that the tests of a file have used. */
export async function dropDatabases(server: string): Promise<void> {
  for (const { name, client } of empty.splice(0)) {
    await client.end();
    await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(statement);
  await client.end();
}
