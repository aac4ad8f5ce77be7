import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import pg from 'pg';
import type { StoreAddress } from '../../src/services/store/backend.ts';

/** A new, empty store of one kind, which is deleted after the measurement. */
export interface BenchStore {
  name: string;
  address: StoreAddress;
  close(): Promise<void>;
}

/** The last database that `npm run with-stores` creates. Nothing else uses it. */
const REDIS_DATABASE = 9_999;

const stores: Readonly<Record<string, () => Promise<BenchStore>>> = {
  SQLite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
    return {
      name: 'SQLite',
      address: { url: `sqlite://${join(folder, 'atelier.sqlite')}`, scheme: 'sqlite' },
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
  memory: async () => ({
    name: 'memory',
    address: { url: 'sqlite://:memory:', scheme: 'sqlite' },
    close: async () => undefined,
  }),
  Redis: async () => {
    const url = `${process.env.TEST_REDIS_URL}/${REDIS_DATABASE}`;
    const client = await createClient({ url }).connect();
    await client.flushDb();
    const close = async (): Promise<void> => {
      await client.flushDb();
      client.destroy();
    };
    return { name: 'Redis', address: { url, scheme: 'redis' }, close };
  },
  Postgres: async () => {
    const url = new URL(process.env.TEST_POSTGRES_URL ?? '');
    const client = new pg.Client(url.href);
    await client.connect();
    const name = `bench_${randomBytes(8).toString('hex')}`;
    await client.query(`CREATE DATABASE ${name}`);
    url.pathname = `/${name}`;
    const close = async (): Promise<void> => {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await client.end();
    };
    return { name: 'Postgres', address: { url: url.href, scheme: 'postgresql' }, close };
  },
};

/** The stores that can be measured now; each is opened when its turn comes. */
export function availableStores(): (() => Promise<BenchStore>)[] {
  const servers = { Redis: process.env.TEST_REDIS_URL, Postgres: process.env.TEST_POSTGRES_URL };
  const isAvailable = (name: string): boolean => !(name in servers) || Boolean(servers[name as keyof typeof servers]);
  return Object.entries(stores)
    .filter(([name]) => isAvailable(name))
    .map(([, open]) => open);
}
