import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/services/store/backend.ts';
import { Namespace, openNamespaces, UnreadableRow } from '../../../src/services/store/namespaces.ts';
import { SqliteBackend } from '../../../src/services/store/rows/sqlite.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import { onEveryStore, type TestStore } from './sites.ts';
import { createTemporaryFolder } from './store-fixture.ts';

function openFile(): { connection: SqliteBackend; namespace: Namespace } {
  const connection = new SqliteBackend(join(createTemporaryFolder(), 'atelier.sqlite'));
  return { connection, namespace: new Namespace('live', connection) };
}

async function openNamespace(
  createTestStore: () => Promise<TestStore>,
): Promise<{ testStore: TestStore; backend: Backend; namespace: Namespace }> {
  const testStore = await createTestStore();
  const backend = await testStore.backend();
  return { testStore, backend, namespace: new Namespace('live', backend) };
}

const readAll = async (namespace: Namespace): Promise<Map<string, unknown>> => {
  const rows = new Map<string, unknown>();
  for await (const [key, value] of namespace.entries()) rows.set(key, value);
  return rows;
};

/**
 * The behaviour of keyv and its adapters that the bot relies on. Both are young projects, so these tests show when an update breaks something.
 */
describe('A namespace over keyv', () =>
  onEveryStore((createTestStore) => {
    it('A namespace over keyv keeps its rows apart from all others, even if one name is a prefix of another', async () => {
      const { backend } = await openNamespace(createTestStore);
      const names = ['live', 'LIVE', 'liv', 'liv_', 'live:1'];
      const namespaces = names.map((name) => new Namespace(name, backend));
      for (const namespace of namespaces) await namespace.put('1', namespace.name);
      for (const namespace of namespaces) expect([...(await readAll(namespace))]).toEqual([['1', namespace.name]]);
      await namespaces[0]?.delete('1');
      for (const namespace of namespaces.slice(1)) expect(await namespace.get('1')).toBe(namespace.name);
    });

    it('A namespace over keyv reads every row once, over any number of pages and with deletions in between', async () => {
      const { namespace } = await openNamespace(createTestStore);
      const keys = Array.from({ length: 2_500 }, (_, index) => `key ${index}`);
      await namespace.putMany(keys.map((key) => ({ key, value: key })));
      const readKeys: string[] = [];
      for await (const [key] of namespace.entries()) {
        readKeys.push(key);
        if (readKeys.length % 5 === 0) await namespace.delete(key);
      }
      expect(readKeys.sort()).toEqual(keys.sort());
      expect((await readAll(namespace)).size).toBe(2_000);
    });

    it('A namespace over keyv reads many rows in one request, and omits missing ones', async () => {
      const { namespace } = await openNamespace(createTestStore);
      const keys = Array.from({ length: 2_100 }, (_, index) => `${index}`);
      await namespace.putMany(keys.map((key) => ({ key, value: Number(key) })));
      const values = await namespace.getMany([...keys, 'unknown']);
      expect(values.size).toBe(2_100);
      expect(values.get('2099')).toBe(2_099);
      expect(await namespace.getMany([])).toEqual(new Map());
    });

    it('A namespace over keyv keeps a row without an expiry forever, and treats an expired one as gone', async () => {
      const { testStore, namespace } = await openNamespace(createTestStore);
      await namespace.put('kept', 1);
      await namespace.put('over', 2, 3_600_000);
      const [expiredRow] = (await testStore.rows('live')).filter(({ key }) => key === 'over');
      // A server with its own expiry has removed it by then.
      if (expiredRow) await testStore.write({ ...expiredRow, expires: 1 });
      expect(await readAll(namespace)).toEqual(new Map([['kept', 1]]));
      await namespace.clearExpired();
      expect(await testStore.keys('live')).toEqual(['kept']);
    });

    it('A namespace over keyv marks rows that it cannot read, and continues', async () => {
      const { testStore, namespace } = await openNamespace(createTestStore);
      await namespace.put('1', 'good');
      await testStore.write({ namespace: 'live', key: '0', text: '{' });
      await namespace.put('2', 'good');
      expect(await readAll(namespace)).toEqual(
        new Map<string, unknown>([
          ['0', new UnreadableRow('{')],
          ['1', 'good'],
          ['2', 'good'],
        ]),
      );
    });

    it('A namespace over keyv refuses an empty key, which keyv treats as missing', async () => {
      const { namespace } = await openNamespace(createTestStore);
      await expect(namespace.put('', 1)).rejects.toBeInstanceOf(StoreError);
    });

    it('A namespace over keyv reads rows in the byte order of their keys, between two bounds, each one once', async () => {
      const { backend } = await openNamespace(createTestStore);
      const ledger = new Namespace('ledger', backend);
      const days = ['2026-01-01', '2026-01-02', '2026-02-01'];
      const keys = days.flatMap((day) =>
        Array.from({ length: 700 }, (_, index) => `${day}:${index % 2 ? 'a' : 'B'}-${index}`),
      );
      await ledger.putMany(keys.map((key) => ({ key, value: key })));
      await new Namespace('live', backend).put('2026-01-01:other', 'of another namespace');
      const between = async (first: string, end: string): Promise<string[]> => {
        const foundKeys: string[] = [];
        for await (const [key] of ledger.entries(first, end)) foundKeys.push(key);
        return foundKeys;
      };
      expect(await between('', '3')).toEqual(keys.toSorted());
      expect(await between('2026-01-02', '2026-01-02;')).toEqual(
        keys.filter((key) => key.startsWith('2026-01-02')).sort(),
      );
      await ledger.delete(...keys.filter((key) => key.startsWith('2026-01')));
      expect(await between('', '3')).toEqual(keys.filter((key) => key.startsWith('2026-02')).sort());
      expect(await between('2027', '3')).toEqual([]);
    });
  }));

describe('The writes of one turn of the event loop', () => {
  onEveryStore((createTestStore) => {
    it('The writes of one turn are one transaction over all namespaces, in which the last write of a row counts', async () => {
      const testStore = await createTestStore();
      const backend = await testStore.backend();
      const transactions: Parameters<Backend['write']>[] = [];
      const { live, index, finished } = openNamespaces(
        withWrite(backend, async (...transaction) => {
          transactions.push(transaction);
          await backend.write(...transaction);
        }),
      );
      await finished.put('1', 'old');
      await Promise.all([live.put('1', 1), index.put('1', 2), finished.delete('1'), live.put('1', 3)]);
      expect(transactions.map(([changes, durability]) => [changes.length, durability])).toEqual([
        [1, 'immediate'],
        [3, 'immediate'],
      ]);
      expect(await Promise.all([live.get('1'), index.get('1'), finished.get('1')])).toEqual([3, 2, undefined]);
    });

    it.each(['full', 'failed'] as const)(
      'A write that fails (%s) fails only for its own caller, with all of its rows',
      async (kind) => {
        const testStore = await createTestStore();
        const backend = await testStore.backend();
        const { live, index } = openNamespaces(
          withWrite(backend, async (changes, durability) => {
            if (changes.some(({ key }) => key === 'large')) throw new StoreError(kind, 'This does not fit.');
            await backend.write(changes, durability);
          }),
        );
        const outcomes = await Promise.allSettled([
          live.put('1', 1),
          live.write([live.row('2', 2), index.row('large', 2)]),
          index.put('3', 3),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect([await testStore.keys('live'), await testStore.keys('index')]).toEqual([['1'], ['3']]);
      },
    );

    it('A write during a transaction is carried out after it', async () => {
      const backend = await (await createTestStore()).backend();
      let isWriting = false;
      const { live } = openNamespaces(
        withWrite(backend, async (...transaction) => {
          expect(isWriting).toBe(false);
          isWriting = true;
          if (second === undefined) second = live.put('1', 'second');
          await backend.write(...transaction);
          isWriting = false;
        }),
      );
      let second: Promise<void> | undefined;
      await live.put('1', 'first');
      await second;
      expect(await live.get('1')).toBe('second');
    });
  });

  it.each(['ABORT', 'ROLLBACK'])(
    'A row that SQLite refuses fails only its own write, even if SQLite ends the transaction (%s)',
    async (ending) => {
      const { connection } = openFile();
      connection.rows(
        `CREATE TRIGGER refusing BEFORE INSERT ON atelier WHEN new.key = 'refused' BEGIN SELECT RAISE(${ending}, 'no'); END`,
      );
      const { live, index } = openNamespaces(connection);
      const outcomes = await Promise.allSettled([
        live.put('1', 1),
        live.write([index.row('2', 2), live.row('refused', 2), live.row('3', 3)]),
        index.put('4', 4),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(connection.rows('SELECT key FROM atelier ORDER BY key')).toEqual([{ key: '1' }, { key: '4' }]);
    },
  );
});

/** The backend with another way to write. */
const withWrite = (backend: Backend, write: Backend['write']): Backend => ({
  name: backend.name,
  adapter: (namespace) => backend.adapter(namespace),
  write,
  range: (...args) => backend.range(...args),
  clearExpired: () => backend.clearExpired(),
  everyRow: (namespaces) => backend.everyRow(namespaces),
});

describe('A namespace in a file', () => {
  it.each([
    ['get', (namespace: Namespace) => namespace.get('1')],
    ['has', (namespace: Namespace) => namespace.has('1')],
    ['getMany', (namespace: Namespace) => namespace.getMany(['1'])],
    ['put', (namespace: Namespace) => namespace.put('1', 1)],
    ['put with an expiry', (namespace: Namespace) => namespace.put('1', 1, 1_000)],
    ['putMany', (namespace: Namespace) => namespace.putMany([{ key: '1', value: 1 }])],
    ['delete', (namespace: Namespace) => namespace.delete('1')],
    ['entries', readAll],
    ['clearExpired', (namespace: Namespace) => namespace.clearExpired()],
  ])('A namespace in a file throws a StoreError with the original cause: %s', async (_name, work) => {
    const { connection, namespace } = openFile();
    await namespace.put('1', 1);
    connection.rows('DROP TABLE atelier');
    const error = await work(namespace).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StoreError);
    expect((error as StoreError).cause).toMatchObject({ code: 'ERR_SQLITE_ERROR' });
  });

  it('A namespace in a file waits for the disk when it writes tasks, but not when it writes rows that can be recreated', async () => {
    const { connection } = openFile();
    const { live, finished, quarantine, index, durations } = openNamespaces(connection);
    expect(connection.rows('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    const [full, normal] = [[{ synchronous: 2 }], [{ synchronous: 1 }]];
    for (const namespace of [live, finished, quarantine]) {
      for (const recreatable of [index, durations]) {
        await recreatable.put('1', 1);
        expect(connection.rows('PRAGMA synchronous')).toEqual(normal);
        await namespace.put('1', 1);
        expect(connection.rows('PRAGMA synchronous')).toEqual(full);
      }
    }
  });
});
