import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@redis/client';
import pg from 'pg';
import { describe, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { type Log, openLog } from '../../../src/lib/log.ts';
import { type Backend, StoreError } from '../../../src/services/store/backend.ts';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { markSchema } from '../../../src/services/store/marks.ts';
import { openNamespaces } from '../../../src/services/store/namespaces.ts';
import { openBackend, openStore } from '../../../src/services/store/open-store.ts';
import { SqliteBackend } from '../../../src/services/store/sqlite.ts';
import { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { Migration } from '../../../src/services/store/task-rows.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { folder, START } from './stage.ts';

const kinds = ['sqlite', 'memory', 'redis', 'postgres'] as const;
type Kind = (typeof kinds)[number];

export interface SiteRow {
  namespace: string;
  key: string;
  text: string;
  expires?: number | undefined;
}

/** Reads and changes rows without the store. */
interface Back {
  rows(): Promise<SiteRow[]>;
  write(rows: readonly SiteRow[]): Promise<void>;
  drop(rows: readonly SiteRow[]): Promise<void>;
  /** As if the server had released the lease of the store. */
  forgetLease(): Promise<void>;
  leaseNumber(): Promise<number>;
  /** The number of connections to the server, or to this database. */
  connections(): Promise<number>;
  /** Ends all of them except its own, as a restart of the server does. */
  cutConnections(): Promise<void>;
}

interface OpenOptions {
  botVersion?: string;
  migrations?: ReadonlyMap<number, Migration>;
  leaseMs?: number;
  leaseClock?: LeaseClock;
}

/** A store of one kind, for one test. */
export interface Site extends Pick<Back, 'forgetLease' | 'leaseNumber' | 'connections' | 'cutConnections'> {
  kind: Kind;
  url: string;
  scheme: string;
  clock: ManualClock;
  /** The log, line by line. */
  logged: string[];
  log: Log;
  open(options?: OpenOptions): Promise<StoredTasks>;
  /** The raw rows, as a bot sees them. */
  backend(): Promise<Backend>;
  /** A bot whose power fails after this many writes. */
  failing(writes: number): Promise<StoredTasks>;
  rows(namespace?: string): Promise<SiteRow[]>;
  keys(namespace: string): Promise<string[]>;
  write(...rows: SiteRow[]): Promise<void>;
  /** Changes the text of rows; a row for which it returns undefined stays unchanged. */
  rewrite(change: (row: SiteRow) => string | undefined): Promise<void>;
  drop(isWanted: (row: SiteRow) => boolean): Promise<void>;
}

/**
 * Runs the same tests on every kind of store; kinds without a configured server are skipped and reported as skipped.
 */
export function onEveryStore(tests: (site: () => Promise<Site>) => void): void {
  onStores(kinds, tests);
}

export function onServers(tests: (site: () => Promise<Site>) => void): void {
  onStores(['redis', 'postgres'], tests);
}

export function onStores(of: readonly Kind[], tests: (site: () => Promise<Site>) => void): void {
  for (const kind of of) {
    const variable = kind === 'redis' ? 'TEST_REDIS_URL' : kind === 'postgres' ? 'TEST_POSTGRES_URL' : undefined;
    const isMissing = variable !== undefined && !serverUrl(variable);
    const why = isMissing ? ` (left out: ${variable} is not set, see npm run with-stores)` : '';
    describe.skipIf(isMissing)(`on ${kind}${why}`, () => tests(() => siteOf(kind)));
  }
}

const serverUrl = (name: string): string => process.env[name] ?? '';

async function siteOf(kind: Kind): Promise<Site> {
  const { url, back, shared } = await made[kind]();
  const scheme = url.split(':')[0] ?? '';
  const clock = new ManualClock(START);
  const logged: string[] = [];
  const log = openLog({ level: 'info', secrets: [], readable: false, write: (line) => logged.push(line) });
  // The log of a test's server says nothing about the store.
  const quiet =
    kind === 'redis'
      ? openLog({ level: 'error', secrets: [], readable: false, write: (line) => logged.push(line) })
      : log;
  const parts = { log: quiet, clock };
  const onTop = async (backend: Backend, { botVersion, migrations }: OpenOptions, close: () => Promise<void>) => {
    const shelves = openNamespaces(backend);
    await markSchema(shelves.meta, botVersion);
    return new StoredTasks({ specs: kindSpecs, ...parts, migrations, namespaces: shelves, close });
  };
  const site: Site = {
    ...{ kind, url, scheme, clock, logged, log },
    forgetLease: back.forgetLease,
    leaseNumber: back.leaseNumber,
    ...{ connections: back.connections, cutConnections: back.cutConnections },
    async open(options = {}) {
      // A store in memory is lost when its connection is closed, so that connection stays open.
      if (shared) return onTop(shared, options, async () => undefined);
      const store = await openStore({ url, scheme }, { specs: kindSpecs, ...parts, ...options });
      onTestFinished(() => store.close());
      return store;
    },
    async backend() {
      if (shared) return shared;
      const { backend, close } = await openBackend({ url, scheme }, parts);
      onTestFinished(close);
      return backend;
    },
    async failing(writes) {
      const { backend, close } = shared
        ? { backend: shared, close: async () => undefined }
        : await openBackend({ url, scheme }, parts);
      onTestFinished(close);
      return new StoredTasks({
        specs: kindSpecs,
        ...parts,
        namespaces: openNamespaces(failingPower(backend, writes)),
        close,
      });
    },
    async rows(namespace) {
      const rows = await back.rows();
      return rows
        .filter((row) => namespace === undefined || row.namespace === namespace)
        .sort((a, b) => (`${a.namespace} ${a.key}` < `${b.namespace} ${b.key}` ? -1 : 1));
    },
    keys: async (namespace) => (await site.rows(namespace)).map(({ key }) => key),
    write: (...rows) => back.write(rows),
    async rewrite(change) {
      const changed = (await back.rows()).map((row) => ({ ...row, text: change(row) ?? row.text, before: row.text }));
      await back.write(changed.filter(({ text, before }) => text !== before));
    },
    async drop(isWanted) {
      await back.drop((await back.rows()).filter(isWanted));
    },
  };
  return site;
}

/** Leaves a store as a bot that has used it does; the work is done in memory, which takes a tenth of the time. */
export async function leave(site: Site, work: (store: StoredTasks) => Promise<void>): Promise<SiteRow[]> {
  const quick = await siteOf('memory');
  await work(await quick.open());
  await (await site.open()).close();
  await site.write(...(await quick.rows()));
  return site.rows();
}

/** Real rows for which the power fails after this many writes. */
function failingPower(backend: Backend, writes: number): Backend {
  let left = writes;
  return {
    name: backend.name,
    failure: undefined,
    adapter(namespace, durability) {
      const adapter = backend.adapter(namespace, durability);
      for (const name of ['set', 'setMany', 'delete', 'deleteMany'] as const) {
        const work = (adapter[name] as (...given: unknown[]) => Promise<unknown>).bind(adapter);
        Object.assign(adapter, {
          async [name](...given: unknown[]) {
            if (left-- <= 0) throw new StoreError('failed', 'no power');
            return work(...given);
          },
        });
      }
      return adapter;
    },
    range: (...question) => backend.range(...question),
    clearExpired: async () => undefined,
    countExpired: (now) => backend.countExpired(now),
    everyRow: (namespaces) => backend.everyRow(namespaces),
  };
}

interface Made {
  url: string;
  back: Back;
  shared?: SqliteBackend;
}

const made: Readonly<Record<Kind, () => Promise<Made>>> = {
  async sqlite() {
    const file = join(folder(), 'atelier.sqlite');
    const session: Session = async (work) => {
      const database = new DatabaseSync(file, { timeout: 1_000 });
      try {
        database.exec('BEGIN');
        const answer = await work(async (text, ...values) => database.prepare(text).all(...values));
        database.exec('COMMIT');
        return answer;
      } finally {
        database.close();
      }
    };
    return { url: `sqlite://${file}`, back: sqlBack(session) };
  },
  async memory() {
    const shared = new SqliteBackend(':memory:');
    onTestFinished(() => shared.close());
    return {
      url: 'sqlite://:memory:',
      shared,
      back: sqlBack((work) => work(async (text, ...values) => shared.rows(text, ...values))),
    };
  },
  async redis() {
    const server = serverUrl('TEST_REDIS_URL');
    const first = await redisClient(server);
    const database = await first.incr('databases used by tests');
    first.destroy();
    const url = `${server}/${database}`;
    const client = await redisClient(url);
    onTestFinished(() => client.destroy());
    return { url, back: redisBack(client) };
  },
  async postgres() {
    const server = new URL(serverUrl('TEST_POSTGRES_URL'));
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const maker = new pg.Client(server.href);
    await maker.connect();
    await maker.query(`CREATE DATABASE ${name}`);
    server.pathname = `/${name}`;
    const client = new pg.Client(server.href);
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await maker.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await maker.end();
    });
    const query = async (text: string, ...values: unknown[]) => {
      let at = 0;
      // Before the first bot there is no table.
      const { rows: found } = await client.query("SELECT to_regclass('atelier') IS NULL AS nothing");
      if (found[0]?.nothing) return [];
      return (
        await client.query(
          text.replaceAll('?', () => `$${++at}`),
          values,
        )
      ).rows;
    };
    return { url: server.href, back: sqlBack((work) => work(query)) };
  },
};

type Ask = (text: string, ...values: (string | number | null)[]) => Promise<Record<string, unknown>[]>;

type Session = <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;

function sqlBack(session: Session): Back {
  const remove = (ask: Ask, { namespace, key }: SiteRow) =>
    ask('DELETE FROM atelier WHERE namespace = ? AND key = ?', namespace, key);
  return {
    rows: () =>
      session(async (ask) => {
        const rows = await ask('SELECT namespace, key, value, expires FROM atelier');
        return rows.map(({ namespace, key, value, expires }) => ({
          ...{ namespace: String(namespace), key: String(key), text: String(value) },
          expires: expires === null ? undefined : Number(expires),
        }));
      }),
    write: (rows) =>
      session(async (ask) => {
        for (const row of rows) {
          await remove(ask, row);
          const values = [row.namespace, row.key, row.text, row.expires ?? null];
          await ask('INSERT INTO atelier (namespace, key, value, expires) VALUES (?, ?, ?, ?)', ...values);
        }
      }),
    drop: (rows) =>
      session(async (ask) => {
        for (const row of rows) await remove(ask, row);
      }),
    forgetLease: () =>
      session(async (ask) => {
        await ask("UPDATE atelier_lease SET ends = '-infinity'");
      }),
    leaseNumber: () => session(async (ask) => Number((await ask('SELECT number FROM atelier_lease'))[0]?.number)),
    connections: () =>
      session(async (ask) => {
        const [row] = await ask('SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()');
        return Number(row?.count);
      }),
    cutConnections: () =>
      session(async (ask) => {
        await ask(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
      }),
  };
}

const redisClient = (url: string) => createClient({ url }).connect();

function redisBack(client: Awaited<ReturnType<typeof redisClient>>): Back {
  const name = ({ namespace, key }: SiteRow): string => `atelier:${namespace}::${key}`;
  return {
    async rows() {
      const names = (await client.keys('atelier:*::*')).filter((one) => one.includes('::'));
      const rows = await Promise.all(
        names.map(async (one): Promise<SiteRow[]> => {
          const [, namespace = '', key = ''] = /^atelier:(.*?)::(.*)$/s.exec(one) ?? [];
          const [text, expires] = await client.multi().get(one).pExpireTime(one).execTyped();
          // A row that was deleted since the listing is skipped.
          return text === null ? [] : [{ namespace, key, text, expires: expires < 0 ? undefined : expires }];
        }),
      );
      return rows.flat();
    },
    async write(rows) {
      for (const row of rows) {
        if (row.namespace === 'ledger') await client.zAdd('atelier:ledger:keys', { score: 0, value: row.key });
        await client.set(name(row), row.text, row.expires === undefined ? {} : { PXAT: row.expires });
      }
    },
    async drop(rows) {
      for (const row of rows) await client.del(name(row));
    },
    async forgetLease() {
      await client.del('atelier:lease');
    },
    leaseNumber: async () => Number(await client.get('atelier:lease:number')),
    async connections() {
      const database = (await client.clientInfo()).db;
      return (await client.clientList()).filter(({ db }) => db === database).length;
    },
    async cutConnections() {
      const own = await client.clientInfo();
      for (const { id, db } of await client.clientList())
        if (db === own.db && id !== own.id) await client.sendCommand(['CLIENT', 'KILL', 'ID', String(id)]);
    },
  };
}
