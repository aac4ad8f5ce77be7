import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@redis/client';
import { afterAll, describe, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { createLogger, type Log } from '../../../src/lib/log.ts';
import type { Backend } from '../../../src/services/store/backend.ts';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { openNamespaces } from '../../../src/services/store/namespaces.ts';
import { openBackend, openStore } from '../../../src/services/store/open-store.ts';
import { markSchema } from '../../../src/services/store/rows/marks.ts';
import { SqliteBackend } from '../../../src/services/store/rows/sqlite.ts';
import type { Migration } from '../../../src/services/store/rows/task-rows.ts';
import { openStoredTasks, type StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { dropDatabases, takeDatabase } from './databases.ts';
import { createTemporaryFolder, START } from './store-fixture.ts';

const kinds = ['sqlite', 'memory', 'redis', 'postgres'] as const;
type Kind = (typeof kinds)[number];

/** A server has a fifth of it for each response, however busy the machine is. For stores whose ownership is not what is tested. */
export const LONG_LEASE_MS = 600_000;

export interface RawRow {
  namespace: string;
  key: string;
  text: string;
  expires?: number | undefined;
}

/** Reads and changes rows without the store. */
interface RawAccess {
  rows(): Promise<RawRow[]>;
  write(rows: readonly RawRow[]): Promise<void>;
  drop(rows: readonly RawRow[]): Promise<void>;
  /** Releases the leases of the store and of its partitions, as if the server had done so. */
  forgetLease(): Promise<void>;
  /** Shortens the leases of the store and of its partitions to this time, by the server's clock. */
  expireLeaseIn(ms: number): Promise<void>;
  /** How long the lease of the store still lasts, by the server's clock. */
  leaseLeftMs(): Promise<number>;
  leaseNumber(): Promise<number>;
  /** The number of connections to the server, or to this database. */
  connections(): Promise<number>;
  /** Closes all connections except its own, as a restart of the server does. */
  cutConnections(): Promise<void>;
}

interface OpenOptions {
  botVersion?: string;
  migrations?: ReadonlyMap<number, Migration>;
  leaseMs?: number;
  leaseClock?: LeaseClock;
}

/** A store of one kind, for one test. */
export interface TestStore extends Omit<RawAccess, 'rows' | 'write' | 'drop'> {
  kind: Kind;
  url: string;
  scheme: string;
  clock: ManualClock;
  /** The log, line by line. */
  logged: string[];
  log: Log;
  open(options?: OpenOptions): Promise<StoredTasks>;
  /** Keeps one connection open for all stores that are opened later, as it is for a store in memory. */
  keepOpen(): Promise<void>;
  /** The backend through which a bot reads and writes its rows. */
  backend(): Promise<Backend>;
  /** Opens the store with a backend that fails after this many writes, as in a power failure. */
  openFailing(writes: number): Promise<StoredTasks>;
  rows(namespace?: string): Promise<RawRow[]>;
  keys(namespace: string): Promise<string[]>;
  write(...rows: RawRow[]): Promise<void>;
  /** Changes the text of rows; a row for which it returns undefined stays unchanged. */
  rewrite(change: (row: RawRow) => string | undefined): Promise<void>;
  drop(shouldDrop: (row: RawRow) => boolean): Promise<void>;
}

/**
 * Runs the same tests on every kind of store; kinds without a configured server are skipped and reported as skipped.
 */
export function onEveryStore(tests: (testStore: () => Promise<TestStore>) => void): void {
  onStores(kinds, tests);
}

export function onServers(tests: (testStore: () => Promise<TestStore>) => void): void {
  onStores(['redis', 'postgres'], tests);
}

/** For tests of what a cluster does with facts that both kinds of servers store alike, as the tests of shared facts prove. */
export function onOneServer(tests: (testStore: () => Promise<TestStore>) => void): void {
  const isPostgresAlone = serverUrl('TEST_REDIS_URL') === '' && serverUrl('TEST_POSTGRES_URL') !== '';
  onStores([isPostgresAlone ? 'postgres' : 'redis'], tests);
}

export function onStores(storeKinds: readonly Kind[], tests: (testStore: () => Promise<TestStore>) => void): void {
  for (const kind of storeKinds) {
    const variable = kind === 'redis' ? 'TEST_REDIS_URL' : kind === 'postgres' ? 'TEST_POSTGRES_URL' : undefined;
    const isMissing = variable !== undefined && !serverUrl(variable);
    const skipReason = isMissing ? ` (skipped: ${variable} is not set, see npm run with-stores)` : '';
    describe.skipIf(isMissing)(`on ${kind}${skipReason}`, () => {
      afterAll(() => dropDatabases(serverUrl('TEST_POSTGRES_URL')));
      tests(() => createTestStore(kind));
    });
  }
}

const serverUrl = (name: string): string => process.env[name] ?? '';

async function createTestStore(kind: Kind): Promise<TestStore> {
  const { url, rawAccess, ...created } = await factories[kind]();
  let { shared }: { shared?: Backend | undefined } = created;
  const scheme = url.split(':')[0] ?? '';
  const clock = new ManualClock(START);
  const logged: string[] = [];
  const write = (line: string): void => {
    // The servers of tests keep their data in memory, which is not about the store.
    if (!/"msg":"This (?:Redis|Postgres) /.test(line)) logged.push(line);
  };
  const log = createLogger({ level: 'info', secrets: [], isPretty: false, write });
  const parts = { log, clock };
  const backendParts = { ...parts, leaseMs: LONG_LEASE_MS };
  const createStoredTasks = async (
    backend: Backend,
    { botVersion, migrations }: OpenOptions,
    close: () => Promise<void>,
  ) => {
    const namespaces = openNamespaces(backend);
    await markSchema(namespaces.meta, botVersion);
    return openStoredTasks({ specs: kindSpecs, ...parts, migrations, namespaces, close });
  };
  const testStore: TestStore = {
    ...rawAccess,
    kind,
    url,
    scheme,
    clock,
    logged,
    log,
    async open(options = {}) {
      // A store in memory is lost when its connection is closed, so that connection stays open.
      if (shared) return createStoredTasks(shared, options, async () => undefined);
      const store = await openStore({ url, scheme }, { specs: kindSpecs, ...parts, ...options });
      onTestFinished(() => store.close());
      return store;
    },
    async keepOpen() {
      shared = await testStore.backend();
    },
    async backend() {
      if (shared) return shared;
      const { backend, close } = await openBackend({ url, scheme }, backendParts);
      onTestFinished(close);
      return backend;
    },
    async openFailing(writes) {
      const { backend, close } = shared
        ? { backend: shared, close: async () => undefined }
        : await openBackend({ url, scheme }, backendParts);
      onTestFinished(close);
      return openStoredTasks({
        specs: kindSpecs,
        ...parts,
        namespaces: openNamespaces(failingBackend(backend, writes)),
        close,
      });
    },
    async rows(namespace) {
      const rows = await rawAccess.rows();
      return rows
        .filter((row) => namespace === undefined || row.namespace === namespace)
        .sort((a, b) => (`${a.namespace} ${a.key}` < `${b.namespace} ${b.key}` ? -1 : 1));
    },
    keys: async (namespace) => (await testStore.rows(namespace)).map(({ key }) => key),
    write: (...rows) => rawAccess.write(rows),
    async rewrite(change) {
      const changedRows = (await rawAccess.rows()).map((row) => ({
        ...row,
        text: change(row) ?? row.text,
        previousText: row.text,
      }));
      await rawAccess.write(changedRows.filter(({ text, previousText }) => text !== previousText));
    },
    async drop(shouldDrop) {
      await rawAccess.drop((await rawAccess.rows()).filter(shouldDrop));
    },
  };
  return testStore;
}

/** Fills a store as a bot does, and returns its rows. The work is done in memory, which takes a tenth of the time. */
export async function populateStore(
  testStore: TestStore,
  work: (store: StoredTasks) => Promise<void>,
): Promise<RawRow[]> {
  const rows = await rowsAfter(work);
  await (await testStore.open({ leaseMs: LONG_LEASE_MS })).close();
  await testStore.write(...rows);
  return testStore.rows();
}

/** The rows of a store after this work, in memory. */
export async function rowsAfter(work: (store: StoredTasks) => Promise<void>): Promise<RawRow[]> {
  const memoryStore = await createTestStore('memory');
  await work(await memoryStore.open());
  return memoryStore.rows();
}

/** A real backend that fails after this many rows, as in a power failure: a transaction with more rows is not carried out. */
function failingBackend(backend: Backend, writes: number): Backend {
  let writesLeft = writes;
  return {
    name: backend.name,
    adapter: (namespace) => backend.adapter(namespace),
    async write(changes, durability) {
      writesLeft -= changes.length;
      if (writesLeft < 0) throw new StoreError('failed', 'no power');
      await backend.write(changes, durability);
    },
    range: (...args) => backend.range(...args),
    clearExpired: async () => undefined,
    everyRow: (namespaces) => backend.everyRow(namespaces),
  };
}

interface CreatedStore {
  url: string;
  rawAccess: RawAccess;
  shared?: SqliteBackend;
}

const factories: Readonly<Record<Kind, () => Promise<CreatedStore>>> = {
  async sqlite() {
    const file = join(createTemporaryFolder(), 'atelier.sqlite');
    const session: Session = async (work) => {
      const database = new DatabaseSync(file, { timeout: 1_000 });
      try {
        database.exec('BEGIN');
        const result = await work(async (text, ...values) => database.prepare(text).all(...values));
        database.exec('COMMIT');
        return result;
      } finally {
        database.close();
      }
    };
    return { url: `sqlite://${file}`, rawAccess: sqlAccess(session) };
  },
  async memory() {
    const shared = new SqliteBackend(':memory:');
    onTestFinished(() => shared.close());
    return {
      url: 'sqlite://:memory:',
      shared,
      rawAccess: sqlAccess((work) => work(async (text, ...values) => shared.rows(text, ...values))),
    };
  },
  async redis() {
    const server = serverUrl('TEST_REDIS_URL');
    const client = await redisClient(server);
    onTestFinished(() => client.destroy());
    const database = await client.incr('databases used by tests');
    await client.select(database);
    return { url: `${server}/${database}`, rawAccess: redisAccess(client) };
  },
  async postgres() {
    const { url, client } = await takeDatabase(serverUrl('TEST_POSTGRES_URL'));
    const query = async (text: string, ...values: unknown[]) => {
      let placeholderCount = 0;
      if (text.includes('atelier')) {
        // There is no table until the first bot has started.
        const { rows: checkRows } = await client.query("SELECT to_regclass('atelier') IS NULL AS nothing");
        if (checkRows[0]?.nothing) return [];
      }
      return (
        await client.query(
          text.replaceAll('?', () => `$${++placeholderCount}`),
          values,
        )
      ).rows;
    };
    return { url, rawAccess: sqlAccess((work) => work(query)) };
  },
};

type Query = (text: string, ...values: (string | number | null)[]) => Promise<Record<string, unknown>[]>;

type Session = <T>(work: (query: Query) => Promise<T>) => Promise<T>;

function sqlAccess(session: Session): RawAccess {
  const repeat = (placeholder: string, { length }: readonly RawRow[]): string => Array(length).fill(placeholder).join();
  // The condition on the key alone lets Postgres use its index.
  const remove = (query: Query, rows: readonly RawRow[]) =>
    query(
      `DELETE FROM atelier WHERE key IN (${repeat('?', rows)}) AND namespace || ' ' || key IN (${repeat('?', rows)})`,
      ...rows.map(({ key }) => key),
      ...rows.map(({ namespace, key }) => `${namespace} ${key}`),
    );
  return {
    rows: () =>
      session(async (query) => {
        const rows = await query('SELECT namespace, key, value, expires FROM atelier');
        return rows.map(({ namespace, key, value, expires }) => ({
          namespace: String(namespace),
          key: String(key),
          text: String(value),
          expires: expires === null ? undefined : Number(expires),
        }));
      }),
    write: (rows) =>
      session(async (query) => {
        if (rows.length === 0) return;
        await remove(query, rows);
        await query(
          `INSERT INTO atelier (namespace, key, value, expires) VALUES ${repeat('(?, ?, ?, ?)', rows)}`,
          ...rows.flatMap((row) => [row.namespace, row.key, row.text, row.expires ?? null]),
        );
      }),
    drop: (rows) =>
      session(async (query) => {
        if (rows.length > 0) await remove(query, rows);
      }),
    forgetLease: () =>
      session(async (query) => {
        await query("UPDATE atelier_lease SET ends = '-infinity'");
      }),
    expireLeaseIn: (ms) =>
      session(async (query) => {
        await query("UPDATE atelier_lease SET ends = clock_timestamp() + ? * interval '1 millisecond'", ms);
      }),
    leaseLeftMs: () =>
      session(async (query) => {
        const [row] = await query(
          'SELECT extract(epoch FROM ends - clock_timestamp()) * 1000 AS left FROM atelier_lease',
        );
        return Number(row?.left);
      }),
    leaseNumber: () => session(async (query) => Number((await query('SELECT number FROM atelier_lease'))[0]?.number)),
    connections: () =>
      session(async (query) => {
        const [row] = await query('SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()');
        return Number(row?.count);
      }),
    cutConnections: () =>
      session(async (query) => {
        await query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
      }),
  };
}

const redisClient = (url: string) => createClient({ url }).connect();

function redisAccess(client: Awaited<ReturnType<typeof redisClient>>): RawAccess {
  const redisKey = ({ namespace, key }: RawRow): string => `atelier:${namespace}::${key}`;
  const leaseKeys = async (): Promise<string[]> => ['atelier:lease', ...(await client.keys('atelier:*:lease'))];
  return {
    async rows() {
      const names = (await client.keys('atelier:*::*')).filter((one) => one.includes('::'));
      const rows = await Promise.all(
        names.map(async (one): Promise<RawRow[]> => {
          const [, namespace = '', key = ''] = /^atelier:(.*?)::(.*)$/s.exec(one) ?? [];
          const [text, expires] = await client.multi().get(one).pExpireTime(one).execTyped();
          // A row that was deleted since the listing is skipped.
          return text === null ? [] : [{ namespace, key, text, expires: expires < 0 ? undefined : expires }];
        }),
      );
      return rows.flat();
    },
    async write(rows) {
      const writes = rows.flatMap((row) => [
        client.zAdd(`atelier:${row.namespace}:keys`, { score: 0, value: row.key }),
        client.set(redisKey(row), row.text, row.expires === undefined ? {} : { PXAT: row.expires }),
      ]);
      await Promise.all(writes);
    },
    async drop(rows) {
      if (rows.length > 0) await client.del(rows.map(redisKey));
    },
    async forgetLease() {
      await client.del(await leaseKeys());
    },
    async expireLeaseIn(ms) {
      for (const key of await leaseKeys()) await client.pExpire(key, ms);
    },
    leaseLeftMs: () => client.pTTL('atelier:lease'),
    leaseNumber: async () => Number(await client.get('atelier:lease:number')),
    async connections() {
      const database = (await client.clientInfo()).db;
      return (await client.clientList()).filter(({ db }) => db === database).length;
    },
    async cutConnections() {
      const ownClient = await client.clientInfo();
      for (const { id, db } of await client.clientList())
        if (db === ownClient.db && id !== ownClient.id) await client.sendCommand(['CLIENT', 'KILL', 'ID', String(id)]);
    },
  };
}
