import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openLog } from '../../../src/lib/log.ts';
import { createEntry, entryKey } from '../../../src/services/ledger/entry.ts';
import {
  nameHolder,
  openBackend,
  openExisting,
  openPartitions,
  type Partitions,
  StoreError,
} from '../../../src/services/store/index.ts';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { openNamespaces } from '../../../src/services/store/namespaces.ts';
import { RETENTION_MS } from '../../../src/services/store/task-rows.ts';
import { child, holdsPartitions, modules } from './child.ts';
import { onServers, type Site } from './sites.ts';
import { makeTask, settled } from './stage.ts';
import { Standing } from './standing.ts';

/** For a lease whose end a test waits for; a fifth of it must be enough for a request on a busy machine. */
const LEASE_MS = 5_000;
/** For leases that last longer than a test. */
const LONG_MS = 20_000;

interface Options {
  partitions?: number;
  holder?: string;
  leaseMs?: number;
  leaseClock?: LeaseClock;
}

async function open({ url, scheme, log, clock }: Site, options: Options = {}): Promise<Partitions> {
  const parts = { specs: kindSpecs, log, clock, partitions: 4, holder: nameHolder(), leaseMs: LONG_MS, ...options };
  const partitions = await openPartitions({ url, scheme }, parts);
  onTestFinished(() => partitions.close());
  return partitions;
}

const refused = async (work: Promise<unknown>): Promise<StoreError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
};

const placed = ({ kind }: Site, partition: number, namespace: string): string =>
  partition === 0 ? namespace : `p${partition}${kind === 'redis' ? ':' : '/'}${namespace}`;

describe('The number of partitions', () =>
  onServers((stage) => {
    it('The number of partitions is fixed at the first start of a store, whatever a later start requests', async () => {
      const site = await stage();
      const first = await open(site, { partitions: 8 });
      expect(first.count).toBe(8);
      expect((await open(site, { partitions: 3 })).count).toBe(8);
      await (await first.open(7)).close();
      await (await first.open(0)).close();
      expect((await open(site, { partitions: 3 })).count).toBe(8);
    });

    it('The number of partitions is the same for processes that start a store at once', async () => {
      const site = await stage();
      const many = await Promise.all([2, 3, 4, 5, 6].map((partitions) => open(site, { partitions })));
      expect(new Set(many.map(({ count }) => count)).size).toBe(1);
      expect(await site.keys('meta')).toEqual(['partitions']);
    });

    it('A store with several partitions is refused by everything that would see one of them', async () => {
      const site = await stage();
      await (await (await open(site, { partitions: 4 })).open(0)).close();
      const address = { url: site.url, scheme: site.scheme };
      const parts = { log: site.log, clock: site.clock };
      for (const opening of [() => site.open(), () => openExisting(address, parts), () => openBackend(address, parts)])
        expect((await refused(opening())).message).toContain('is divided into 4 partitions');
      expect((await open(site)).count).toBe(4);
    });

    it('The number of partitions is one for a store that was created without any, and its rows are those of partition 0', async () => {
      const site = await stage();
      const store = await site.open({ leaseMs: LONG_MS });
      const task = makeTask();
      await store.put(task);
      const before = await site.rows();
      // The other bot may keep running.
      const partitions = await open(site);
      expect(partitions.count).toBe(1);
      await store.close();
      const first = await partitions.open(0);
      expect(await first.get(task.id)).toMatchObject({ id: task.id });
      expect(await site.rows()).toEqual(before);
      await first.close();
      const again = await site.open({ leaseMs: LONG_MS });
      expect(await again.live()).toHaveLength(1);
    });

    it('The number of partitions is one for a store with rows that no start has marked, such as a half-finished move', async () => {
      const site = await stage();
      await (await open(site)).close();
      await site.drop(() => true);
      await site.write({ namespace: 'finished', key: 'x', text: '{"value":1}' });
      expect((await open(site)).count).toBe(1);
    });

    it('The number of partitions is never guessed if its row cannot be read', async () => {
      const site = await stage();
      await (await open(site)).close();
      await site.rewrite(({ key }) => (key === 'partitions' ? '{"value":{"count":0}}' : undefined));
      const error = await refused(open(site));
      expect(error.kind).toBe('corrupt');
      expect(error.message).toContain('how many partitions');
    });
  }));

describe('Partitions', () =>
  onServers((stage) => {
    it('Partitions are separate stores, whose rows differ in their prefix', async () => {
      const site = await stage();
      const partitions = await open(site);
      const stores = await Promise.all([0, 1, 2, 3].map((partition) => partitions.open(partition)));
      const tasks = stores.map(() => makeTask());
      for (const [at, store] of stores.entries()) {
        await store.put(tasks[at] ?? makeTask());
        await store.put(settled(makeTask()));
        await store.addDuration(`key of ${at}`, { atLeastMs: 1, atMostMs: 2, at: 3 });
      }
      for (const [at, store] of stores.entries()) {
        expect((await store.live()).map(({ id }) => id)).toEqual([tasks[at]?.id]);
        expect(await store.get(tasks[(at + 1) % 4]?.id ?? '')).toBeUndefined();
        expect(await store.durations('key of 1')).toHaveLength(at === 1 ? 1 : 0);
        expect(await site.keys(placed(site, at, 'live'))).toEqual([tasks[at]?.id]);
        expect(await site.keys(placed(site, at, 'finished'))).toHaveLength(1);
      }
    });

    it('Partitions keep the days of their ledgers apart', async () => {
      const site = await stage();
      const partitions = await open(site);
      const stores = await Promise.all([0, 1, 2].map((partition) => partitions.open(partition)));
      const entries = stores.map(() => createEntry(makeTask()));
      for (const [at, store] of stores.entries()) {
        const entry = entries[at] ?? expect.unreachable();
        await store.entries.change(entryKey(entry), () => entry);
      }
      for (const [at, store] of stores.entries()) {
        const listed = await Array.fromAsync(store.entries.between('2025-12-31', '2026-01-02'));
        expect(listed.map(({ id }) => id)).toEqual([entries[at]?.id]);
      }
    });

    it('Each partition has its own lease, so that several processes can own different ones', async () => {
      const site = await stage();
      const [one, other] = await Promise.all([open(site, { holder: 'one' }), open(site, { holder: 'other' })]);
      const first = await one.open(1);
      const second = await other.open(2);
      expect(await other.tryOpen(1)).toBeUndefined();
      expect(await one.tryOpen(2)).toBeUndefined();
      expect((await refused(other.open(1))).kind).toBe('in-use');
      expect(await one.owners()).toEqual(
        new Map([
          [1, 'one'],
          [2, 'other'],
        ]),
      );
      await Promise.all([first.put(makeTask()), second.put(makeTask())]);
      await first.close();
      // The connections stay open for the others.
      const taken = await other.tryOpen(1);
      expect(await taken?.live()).toHaveLength(1);
      expect(await one.owners()).toEqual(
        new Map([
          [1, 'other'],
          [2, 'other'],
        ]),
      );
      expect((await refused(first.put(makeTask()))).kind).toBe('failed');
      await (await one.open(3)).put(makeTask());
    });

    it('Partitions of a process that was suspended for too long pass to another one, and the old owner writes nothing more', async () => {
      const site = await stage();
      const clock = new Standing();
      const suspended = await open(site, { leaseMs: LEASE_MS, leaseClock: clock });
      const first = await suspended.open(1);
      const kept = await suspended.open(2);
      const task = makeTask();
      await first.put(task);
      const next = await open(site, { leaseMs: LONG_MS });
      const second = await vi.waitFor(async () => (await next.tryOpen(1)) ?? expect.unreachable(), {
        timeout: 2 * LEASE_MS,
      });
      await second.put(settled(task));
      const before = await site.rows();
      // By its own clock it still has the lease; only the server refuses the write.
      first.ownership.mustBeOurs();
      const works = [
        first.put(makeTask()),
        first.remove(task),
        first.addDuration('x', { atLeastMs: 1, atMostMs: 2, at: 3 }),
      ];
      const kinds = (await Promise.all(works.map(refused))).map(({ kind }) => kind);
      expect(new Set(kinds)).toEqual(new Set(['lost']));
      expect((await first.ownership.lost).message).toContain('(partition 1)');
      clock.wake(LEASE_MS);
      expect((await refused(kept.put(makeTask()))).kind).toBe('lost');
      expect(await site.rows()).toEqual(before);
      await first.close();
      second.ownership.mustBeOurs();
      expect(await suspended.tryOpen(1)).toBeUndefined();
    });

    it.skipIf(process.platform !== 'linux')(
      'Partitions pass at once from a process that was killed on this machine (needs /proc)',
      async () => {
        const site = await stage();
        const killed = await child(holdsPartitions, site.url, ...modules, '0', '2');
        const partitions = await open(site, { leaseMs: LONG_MS });
        expect(await partitions.tryOpen(2)).toBeUndefined();
        await killed.kill();
        expect(await partitions.tryOpen(2)).toBeDefined();
        expect(await partitions.tryOpen(0)).toBeDefined();
      },
    );

    it('Partitions that another process owns can be read but not written', async () => {
      const site = await stage();
      const owner = await open(site);
      const store = await owner.open(3);
      const task = makeTask();
      await store.put(task);
      const backend = await (await open(site)).rows(3);
      if (!backend) return expect.unreachable();
      const { live } = openNamespaces(backend);
      expect([...(await live.getMany([task.id])).keys()]).toEqual([task.id]);
      expect((await Array.fromAsync(live.entries())).map(([id]) => id)).toEqual([task.id]);
      expect((await refused(live.put('x', 1))).message).toContain('is only read');
      await store.put(makeTask());
    });

    it('Partitions clear only their own expired rows', async ({ skip }) => {
      const site = await stage();
      skip(site.kind === 'redis', 'Redis removes expired rows itself');
      const partitions = await open(site);
      const stores = await Promise.all([0, 1, 2].map((partition) => partitions.open(partition)));
      const expired = [0, 1, 2].map((partition) => ({
        namespace: placed(site, partition, 'finished'),
        key: 'old',
        text: '{"value":1}',
        expires: 1,
      }));
      await site.write(...expired);
      await stores[1]?.put(makeTask());
      const left = (await site.rows()).filter(({ key }) => key === 'old').map(({ namespace }) => namespace);
      expect(left).toEqual(['finished', 'p2/finished']);
      await stores[0]?.put(makeTask());
      expect((await site.rows()).filter(({ key }) => key === 'old').map(({ namespace }) => namespace)).toEqual([
        'p2/finished',
      ]);
      expect(await (await partitions.rows(2))?.countExpired(Date.now())).toBe(1);
      expect(await (await partitions.rows(0))?.countExpired(Date.now())).toBe(0);
    });

    it('Partitions on Redis list their keys, without those of rows that have expired or were removed', async ({
      skip,
    }) => {
      const site = await stage();
      skip(site.kind !== 'redis', 'Postgres has an index');
      const client = await createClient({ url: site.url }).connect();
      onTestFinished(() => client.destroy());
      const listed = (namespace: string) => client.zRange(`atelier:p1:${namespace}:keys`, 0, -1);
      const partitions = await open(site);
      const first = await partitions.open(1);
      const [task, removed] = [makeTask(), makeTask()];
      // Its row exists a moment longer.
      const old = settled(makeTask(), site.clock.now() - RETENTION_MS + 200);
      for (const each of [task, removed, old]) await first.put(each);
      await first.remove(removed);
      expect(await listed('live')).toEqual([task.id]);
      expect(await listed('finished')).toEqual([old.id]);
      await expect.poll(() => site.keys('p1:finished')).toEqual([]);
      expect((await first.live()).map(({ id }) => id)).toEqual([task.id]);
      await first.close();
      const again = await partitions.open(1);
      await again.put(task);
      expect(await listed('finished')).toEqual([]);
      expect(await listed('live')).toEqual([task.id]);
    });

    it('Partitions share one set of connections', async () => {
      const site = await stage();
      const partitions = await open(site, { partitions: 32 });
      const stores = [];
      for (let partition = 0; partition < partitions.count; partition++) stores.push(await partitions.open(partition));
      await Promise.all(stores.map((store) => store.put(makeTask())));
      // One connection belongs to the test itself.
      const used = (await site.connections()) - 1;
      expect(used).toBeGreaterThan(0);
      expect(used).toBeLessThanOrEqual(site.kind === 'redis' ? 1 : 8);
      await Promise.all(stores.map((store) => store.close()));
    });

    it('Partitions cannot be opened if the server does not respond, or beyond their number', async () => {
      const site = await stage();
      const away = new URL(site.url);
      away.port = '1';
      expect((await refused(open({ ...site, url: away.href }))).kind).toBe('unreachable');
      const partitions = await open(site);
      for (const wrong of [-1, 4, 1.5]) await expect(partitions.tryOpen(wrong)).rejects.toThrow('no partition');
    });
  }));

describe('Partitions of a file', () => {
  it('Partitions are refused for a file, which only one process can use', async () => {
    const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
    const parts = { specs: kindSpecs, log, clock: systemClock, partitions: 2, holder: nameHolder() };
    const error = await refused(openPartitions({ url: 'sqlite://:memory:', scheme: 'sqlite' }, parts));
    expect(error.kind).toBe('unsupported');
  });
});
