import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Backend, StoreError } from '../../../src/services/store/backend.ts';
import { Namespace, openNamespaces, UnreadableRow } from '../../../src/services/store/namespaces.ts';
import { SqliteBackend } from '../../../src/services/store/sqlite.ts';
import { onEveryStore, type Site } from './sites.ts';
import { folder } from './stage.ts';

function file(): { connection: SqliteBackend; shelf: Namespace } {
  const connection = new SqliteBackend(join(folder(), 'atelier.sqlite'));
  return { connection, shelf: new Namespace('live', connection) };
}

async function fresh(stage: () => Promise<Site>): Promise<{ site: Site; backend: Backend; shelf: Namespace }> {
  const site = await stage();
  const backend = await site.backend();
  return { site, backend, shelf: new Namespace('live', backend) };
}

const all = async (shelf: Namespace): Promise<Map<string, unknown>> => {
  const rows = new Map<string, unknown>();
  for await (const [key, value] of shelf.entries()) rows.set(key, value);
  return rows;
};

/**
 * The behaviour of keyv and its adapters that the bot relies on. Both are young, so these tests show when an update breaks it.
 */
describe('A namespace over keyv', () =>
  onEveryStore((stage) => {
    it('A namespace over keyv keeps its rows apart from all others, even if one name is a prefix of another', async () => {
      const { backend } = await fresh(stage);
      const names = ['live', 'LIVE', 'liv', 'liv_', 'live:1'];
      const shelves = names.map((name) => new Namespace(name, backend));
      for (const shelf of shelves) await shelf.put('1', shelf.name);
      for (const shelf of shelves) expect([...(await all(shelf))]).toEqual([['1', shelf.name]]);
      await shelves[0]?.delete('1');
      for (const shelf of shelves.slice(1)) expect(await shelf.get('1')).toBe(shelf.name);
    });

    it('A namespace over keyv reads every row once, over any number of pages and with deletions in between', async () => {
      const { shelf } = await fresh(stage);
      const keys = Array.from({ length: 2_500 }, (_, at) => `key ${at}`);
      await shelf.putMany(keys.map((key) => ({ key, value: key })));
      const seen: string[] = [];
      for await (const [key] of shelf.entries()) {
        seen.push(key);
        await shelf.delete(key);
      }
      expect(seen.sort()).toEqual(keys.sort());
      expect((await all(shelf)).size).toBe(0);
    });

    it('A namespace over keyv reads many rows in one request, and omits missing ones', async () => {
      const { shelf } = await fresh(stage);
      const keys = Array.from({ length: 2_100 }, (_, at) => `${at}`);
      await shelf.putMany(keys.map((key) => ({ key, value: Number(key) })));
      const found = await shelf.getMany([...keys, 'unknown']);
      expect(found.size).toBe(2_100);
      expect(found.get('2099')).toBe(2_099);
      expect(await shelf.getMany([])).toEqual(new Map());
    });

    it('A namespace over keyv keeps a row without an expiry forever, and treats an expired one as gone', async () => {
      const { site, shelf } = await fresh(stage);
      await shelf.put('kept', 1);
      await shelf.put('over', 2, 3_600_000);
      const [over] = (await site.rows('live')).filter(({ key }) => key === 'over');
      // A server with its own expiry has removed it by then.
      if (over) await site.write({ ...over, expires: 1 });
      expect(await all(shelf)).toEqual(new Map([['kept', 1]]));
      await shelf.clearExpired();
      expect(await site.keys('live')).toEqual(['kept']);
    });

    it('A namespace over keyv marks rows that it cannot read, and continues', async () => {
      const { site, shelf } = await fresh(stage);
      await shelf.put('1', 'good');
      await site.write({ namespace: 'live', key: '0', text: '{' });
      await shelf.put('2', 'good');
      expect(await all(shelf)).toEqual(
        new Map<string, unknown>([
          ['0', new UnreadableRow('{')],
          ['1', 'good'],
          ['2', 'good'],
        ]),
      );
    });

    it('A namespace over keyv refuses a key that keyv treats as none', async () => {
      const { shelf } = await fresh(stage);
      await expect(shelf.put('', 1)).rejects.toBeInstanceOf(StoreError);
    });

    it('A namespace over keyv reads rows in the byte order of their keys, between two bounds, each one once', async () => {
      const { backend } = await fresh(stage);
      const ledger = new Namespace('ledger', backend);
      const days = ['2026-01-01', '2026-01-02', '2026-02-01'];
      const keys = days.flatMap((day) => Array.from({ length: 700 }, (_, at) => `${day}:${at % 2 ? 'a' : 'B'}-${at}`));
      await ledger.putMany(keys.map((key) => ({ key, value: key })));
      await new Namespace('live', backend).put('2026-01-01:other', 'of another namespace');
      const between = async (first: string, end: string): Promise<string[]> => {
        const found: string[] = [];
        for await (const [key] of ledger.between(first, end)) found.push(key);
        return found;
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

describe('A namespace in a file', () => {
  it.each([
    ['get', (shelf: Namespace) => shelf.get('1')],
    ['has', (shelf: Namespace) => shelf.has('1')],
    ['getMany', (shelf: Namespace) => shelf.getMany(['1'])],
    ['put', (shelf: Namespace) => shelf.put('1', 1)],
    ['put with an expiry', (shelf: Namespace) => shelf.put('1', 1, 1_000)],
    ['putMany', (shelf: Namespace) => shelf.putMany([{ key: '1', value: 1 }])],
    ['delete', (shelf: Namespace) => shelf.delete('1')],
    ['entries', all],
    ['clearExpired', (shelf: Namespace) => shelf.clearExpired()],
  ])('A namespace in a file throws the error unchanged: %s', async (_name, work) => {
    const { connection, shelf } = file();
    await shelf.put('1', 1);
    connection.rows('DROP TABLE atelier');
    const error = await work(shelf).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StoreError);
    expect((error as StoreError).cause).toMatchObject({ code: 'ERR_SQLITE_ERROR' });
  });

  it('A namespace in a file waits for the disk with every task, but not with rows that can be created again', async () => {
    const { connection } = file();
    const { live, finished, quarantine, index, durations } = openNamespaces(connection);
    expect(connection.rows('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    const [full, normal] = [[{ synchronous: 2 }], [{ synchronous: 1 }]];
    for (const shelf of [live, finished, quarantine]) {
      for (const lesser of [index, durations]) {
        await lesser.put('1', 1);
        expect(connection.rows('PRAGMA synchronous')).toEqual(normal);
        await shelf.put('1', 1);
        expect(connection.rows('PRAGMA synchronous')).toEqual(full);
      }
    }
  });
});
