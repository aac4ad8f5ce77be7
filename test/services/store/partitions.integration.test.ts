import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createEntry, entryKey } from '../../../src/services/money/entry.ts';
import { nameHolder } from '../../../src/services/store/holder.ts';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { openBackend } from '../../../src/services/store/open-store.ts';
import { openPartitions, type Partitions } from '../../../src/services/store/partitions.ts';
import { RETENTION_MS } from '../../../src/services/store/rows/task-rows.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import { HOLD_PARTITIONS_PROGRAM, moduleUrls, startChild } from './child.ts';
import { onServers, type TestStore } from './sites.ts';
import { eagerClock, SuspendedClock } from './standing.ts';
import { makeTask, settled } from './store-fixture.ts';

/** Longer than a test lasts. */
const LEASE_MS = 20_000;

interface Options {
  partitions?: number;
  holder?: string;
  leaseClock?: LeaseClock;
}

async function open({ url, scheme, log, clock }: TestStore, options: Options = {}): Promise<Partitions> {
  const parts = {
    specs: kindSpecs,
    log,
    clock,
    partitions: 4,
    holder: nameHolder(),
    leaseMs: LEASE_MS,
    leaseClock: eagerClock,
    ...options,
  };
  const partitions = await openPartitions({ url, scheme }, parts);
  onTestFinished(() => partitions.close());
  return partitions;
}

const storeErrorOf = async (work: Promise<unknown>): Promise<StoreError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
};

const namespaceIn = ({ kind }: TestStore, partition: number, namespace: string): string =>
  partition === 0 ? namespace : `p${partition}${kind === 'redis' ? ':' : '/'}${namespace}`;

describe('The number of partitions', () =>
  onServers((createTestStore) => {
    it('The number of partitions is fixed at the first start of a store, whatever a later start requests', async () => {
      const testStore = await createTestStore();
      const first = await open(testStore, { partitions: 8 });
      expect(first.count).toBe(8);
      expect((await open(testStore, { partitions: 3 })).count).toBe(8);
      await (await first.open(7)).close();
      await (await first.open(0)).close();
      expect((await open(testStore, { partitions: 3 })).count).toBe(8);
    });

    it('The number of partitions is the same for processes that start a store at the same time', async () => {
      const testStore = await createTestStore();
      const processes = await Promise.all([2, 3, 4, 5, 6].map((partitions) => open(testStore, { partitions })));
      expect(new Set(processes.map(({ count }) => count)).size).toBe(1);
      expect(await testStore.keys('meta')).toEqual(['hashes', 'partitions']);
    });

    it('A store with several partitions is refused by everything that would see only one of them', async () => {
      const testStore = await createTestStore();
      await (await (await open(testStore, { partitions: 4 })).open(0)).close();
      const address = { url: testStore.url, scheme: testStore.scheme };
      const parts = { log: testStore.log, clock: testStore.clock };
      for (const tryToOpen of [() => testStore.open(), () => openBackend(address, parts)])
        expect((await storeErrorOf(tryToOpen())).message).toContain('is divided into 4 partitions');
      expect((await open(testStore)).count).toBe(4);
    });

    it('The number of partitions is one for a store that was created without any, and its rows are those of partition 0', async () => {
      const testStore = await createTestStore();
      const store = await testStore.open({ leaseMs: LEASE_MS });
      const task = makeTask();
      await store.put(task);
      const rowsBefore = await testStore.rows();
      // Reading the number of partitions does not require the other bot to stop.
      const partitions = await open(testStore);
      expect(partitions.count).toBe(1);
      await store.close();
      const first = await partitions.open(0);
      expect(await first.get(task.id)).toMatchObject({ id: task.id });
      expect(await testStore.rows()).toEqual(rowsBefore);
      await first.close();
      const reopened = await testStore.open({ leaseMs: LEASE_MS });
      expect(await reopened.live()).toHaveLength(1);
    });

    it('The number of partitions is one for a store with rows that no start has marked, such as a half-finished move', async () => {
      const testStore = await createTestStore();
      await (await open(testStore)).close();
      await testStore.drop(() => true);
      await testStore.write({ namespace: 'finished', key: 'x', text: '{"value":1}' });
      expect((await open(testStore)).count).toBe(1);
    });

    it('The number of partitions is never guessed if its row cannot be read', async () => {
      const testStore = await createTestStore();
      await (await open(testStore)).close();
      await testStore.rewrite(({ key }) => (key === 'partitions' ? '{"value":{"count":0}}' : undefined));
      const error = await storeErrorOf(open(testStore));
      expect(error.kind).toBe('corrupt');
      expect(error.message).toContain('how many partitions');
    });
  }));

describe('Partitions', () =>
  onServers((createTestStore) => {
    it('Partitions are separate stores, whose rows differ in their prefix', async () => {
      const testStore = await createTestStore();
      const partitions = await open(testStore);
      const stores = await Promise.all([0, 1, 2, 3].map((partition) => partitions.open(partition)));
      const tasks = stores.map(() => makeTask());
      for (const [index, store] of stores.entries()) {
        await store.put(tasks[index] ?? makeTask());
        await store.put(settled(makeTask()));
        await store.addDuration(`key of ${index}`, { atLeastMs: 1, atMostMs: 2, at: 3 });
      }
      for (const [index, store] of stores.entries()) {
        expect((await store.live()).map(({ id }) => id)).toEqual([tasks[index]?.id]);
        expect(await store.get(tasks[(index + 1) % 4]?.id ?? '')).toBeUndefined();
        expect(await store.durations('key of 1')).toHaveLength(index === 1 ? 1 : 0);
        expect(await testStore.keys(namespaceIn(testStore, index, 'live'))).toEqual([tasks[index]?.id]);
        expect(await testStore.keys(namespaceIn(testStore, index, 'finished'))).toHaveLength(1);
      }
    });

    it('Partitions keep the days of their ledgers apart', async () => {
      const testStore = await createTestStore();
      const partitions = await open(testStore);
      const stores = await Promise.all([0, 1, 2].map((partition) => partitions.open(partition)));
      const entries = stores.map(() => createEntry(makeTask()));
      for (const [index, store] of stores.entries()) {
        const entry = entries[index] ?? expect.unreachable();
        await store.entries.change(entryKey(entry), () => entry);
      }
      for (const [index, store] of stores.entries()) {
        const storedEntries = await Array.fromAsync(store.entries.readRange('2025-12-31', '2026-01-02'));
        expect(storedEntries.map(({ id }) => id)).toEqual([entries[index]?.id]);
      }
    });

    it('Each partition has its own lease, so that several processes can own different ones', async () => {
      const testStore = await createTestStore();
      const [one, other] = await Promise.all([
        open(testStore, { holder: 'one' }),
        open(testStore, { holder: 'other' }),
      ]);
      const first = await one.open(1);
      const second = await other.open(2);
      expect(await other.tryOpen(1)).toBeUndefined();
      expect(await one.tryOpen(2)).toBeUndefined();
      expect((await storeErrorOf(other.open(1))).kind).toBe('in-use');
      expect(await one.owners()).toEqual(
        new Map([
          [1, 'one'],
          [2, 'other'],
        ]),
      );
      await Promise.all([first.put(makeTask()), second.put(makeTask())]);
      await first.close();
      // The connections stay open for the others.
      const takenOverStore = await other.tryOpen(1);
      expect(await takenOverStore?.live()).toHaveLength(1);
      expect(await one.owners()).toEqual(
        new Map([
          [1, 'other'],
          [2, 'other'],
        ]),
      );
      expect((await storeErrorOf(first.put(makeTask()))).kind).toBe('failed');
      await (await one.open(3)).put(makeTask());
    });

    it('Partitions of a process that was suspended for too long pass to another one, and the old owner writes nothing more', async () => {
      const testStore = await createTestStore();
      const clock = new SuspendedClock();
      const suspendedProcess = await open(testStore, { leaseClock: clock });
      const first = await suspendedProcess.open(1);
      const keptStore = await suspendedProcess.open(2);
      const task = makeTask();
      await first.put(task);
      const nextProcess = await open(testStore);
      // The rest of the lease passes by the server's clock.
      await testStore.expireLeaseIn(500);
      const second = await nextProcess.open(1);
      await second.put(settled(task));
      const rowsBefore = await testStore.rows();
      // By its own clock, the suspended process still has the lease; only the server refuses the write.
      first.ownership.assertOwned();
      const operations = [
        first.put(makeTask()),
        first.remove(task),
        first.addDuration('x', { atLeastMs: 1, atMostMs: 2, at: 3 }),
      ];
      const kinds = (await Promise.all(operations.map(storeErrorOf))).map(({ kind }) => kind);
      expect(new Set(kinds)).toEqual(new Set(['lost']));
      expect((await first.ownership.lost).message).toContain('(partition 1)');
      clock.wake(LEASE_MS);
      expect((await storeErrorOf(keptStore.put(makeTask()))).kind).toBe('lost');
      expect(await testStore.rows()).toEqual(rowsBefore);
      await first.close();
      second.ownership.assertOwned();
      expect(await suspendedProcess.tryOpen(1)).toBeUndefined();
    });

    it.skipIf(process.platform !== 'linux')(
      'Partitions pass immediately from a process that was killed on this machine (needs /proc)',
      async () => {
        const testStore = await createTestStore();
        const child = await startChild(HOLD_PARTITIONS_PROGRAM, testStore.url, ...moduleUrls, '0', '2');
        const partitions = await open(testStore);
        expect(await partitions.tryOpen(2)).toBeUndefined();
        await child.kill();
        expect(await partitions.tryOpen(2)).toBeDefined();
        expect(await partitions.tryOpen(0)).toBeDefined();
      },
    );

    it('Partitions that another process owns can be read but not written', async () => {
      const testStore = await createTestStore();
      const owner = await open(testStore);
      const store = await owner.open(3);
      const task = makeTask();
      await store.put(task);
      const reader = await (await open(testStore)).read(3);
      if (!reader) return expect.unreachable();
      expect((await reader.get(task.id))?.id).toBe(task.id);
      expect((await reader.live()).map(({ id }) => id)).toEqual([task.id]);
      expect((await storeErrorOf(reader.polling.write({ at: 1 }))).message).toContain('is open for reading only');
      await store.put(makeTask());
    });

    it('Partitions clear only their own expired rows', async ({ skip }) => {
      const testStore = await createTestStore();
      skip(testStore.kind === 'redis', 'Redis removes expired rows itself');
      const partitions = await open(testStore);
      const stores = await Promise.all([0, 1, 2].map((partition) => partitions.open(partition)));
      const expiredRows = [0, 1, 2].map((partition) => ({
        namespace: namespaceIn(testStore, partition, 'finished'),
        key: 'old',
        text: '{"value":1}',
        expires: 1,
      }));
      await testStore.write(...expiredRows);
      await stores[1]?.put(makeTask());
      const remaining = (await testStore.rows()).filter(({ key }) => key === 'old').map(({ namespace }) => namespace);
      expect(remaining).toEqual(['finished', 'p2/finished']);
      await stores[0]?.put(makeTask());
      expect((await testStore.rows()).filter(({ key }) => key === 'old').map(({ namespace }) => namespace)).toEqual([
        'p2/finished',
      ]);
    });

    it.for([
      { number: 0, prefix: '' },
      { number: 1, prefix: 'p1:' },
    ])(
      'Partition $number on Redis lists its keys, without those of rows that have expired or were removed',
      async ({ number, prefix }, { skip }) => {
        const testStore = await createTestStore();
        skip(testStore.kind !== 'redis', 'Postgres has an index');
        const client = await createClient({ url: testStore.url }).connect();
        onTestFinished(() => client.destroy());
        const listKeys = (namespace: string) => client.zRange(`atelier:${prefix}${namespace}:keys`, 0, -1);
        const partitions = await open(testStore);
        const first = await partitions.open(number);
        const [task, removedTask] = [makeTask(), makeTask()];
        // The row of this task expires a moment later.
        const expiringTask = settled(makeTask(), testStore.clock.now() - RETENTION_MS + 200);
        for (const each of [task, removedTask, expiringTask]) await first.put(each);
        await first.remove(removedTask);
        expect(await listKeys('live')).toEqual([task.id]);
        expect(await listKeys('finished')).toEqual([expiringTask.id]);
        await expect.poll(() => testStore.keys(`${prefix}finished`)).toEqual([]);
        expect((await first.live()).map(({ id }) => id)).toEqual([task.id]);
        await first.close();
        const reopened = await partitions.open(number);
        await reopened.put(task);
        expect(await listKeys('finished')).toEqual([]);
        expect(await listKeys('live')).toEqual([task.id]);
      },
    );

    it('Partitions share one set of connections', async () => {
      const testStore = await createTestStore();
      const partitions = await open(testStore, { partitions: 32 });
      const stores = [];
      for (let partition = 0; partition < partitions.count; partition++) stores.push(await partitions.open(partition));
      await Promise.all(stores.map((store) => store.put(makeTask())));
      // One connection belongs to the test itself.
      const connectionCount = (await testStore.connections()) - 1;
      expect(connectionCount).toBeGreaterThan(0);
      expect(connectionCount).toBeLessThanOrEqual(testStore.kind === 'redis' ? 1 : 8);
      await Promise.all(stores.map((store) => store.close()));
    });

    it('Partitions cannot be opened if the server does not respond, or beyond their number', async () => {
      const testStore = await createTestStore();
      const unreachableUrl = new URL(testStore.url);
      unreachableUrl.port = '1';
      expect((await storeErrorOf(open({ ...testStore, url: unreachableUrl.href }))).kind).toBe('unreachable');
      const partitions = await open(testStore);
      for (const invalid of [-1, 4, 1.5]) await expect(partitions.tryOpen(invalid)).rejects.toThrow('no partition');
    });
  }));

describe('Partitions of a file', () => {
  it('Partitions are refused for a file, which only one process can use', async () => {
    const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
    const parts = { specs: kindSpecs, log, clock: systemClock, partitions: 2, holder: nameHolder() };
    const error = await storeErrorOf(openPartitions({ url: 'sqlite://:memory:', scheme: 'sqlite' }, parts));
    expect(error.kind).toBe('unsupported');
  });
});
