import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { createEntry, entryKey } from '../../../src/services/money/entry.ts';
import { EMPTY_BUDGET } from '../../../src/services/money/server-budget.ts';
import { examine } from '../../../src/services/store/examination/examination.ts';
import { openWhole } from '../../../src/services/store/rows/whole-store.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import { idIn, openCluster, type PartitionRow, populatePartitions, rowsOf, writeTo } from './partitioned.ts';
import { LONG_LEASE_MS, onServers, type TestStore } from './sites.ts';
import { makeTask, START, settled } from './store-fixture.ts';

const PARTITION_COUNT = 4;

const runDoctor = ({ url, scheme, clock, log }: TestStore, repair: boolean) =>
  examine({ url, scheme }, { clock, log, specs: kindSpecs, leaseMs: LONG_LEASE_MS, repair });

const findingsIn = async (testStore: TestStore, repair: boolean): Promise<string[]> =>
  (await runDoctor(testStore, repair)).findings.map(({ kind, count, partition }) => `${partition} ${kind} ${count}`);

/** Fills each partition with live and finished tasks and their entries. */
const fillPartitions = (testStore: TestStore): Promise<void> =>
  populatePartitions(testStore, PARTITION_COUNT, async (store, partition) => {
    await store.entries.setOpenSince('2026-01-01');
    for (let index = 0; index < 4; index++) {
      const task = makeTask({ id: idIn(partition, `server ${index}`, START + index), guildId: `server ${index}` });
      await store.put(index % 2 === 0 ? task : settled(task));
      const entry = createEntry(index % 2 === 0 ? task : settled(task));
      const fact = { standing: 'settled' as const, at: START };
      await store.entries.change(entryKey(entry), () =>
        index % 2 === 0 ? entry : { ...entry, facts: [...entry.facts, fact] },
      );
    }
  });

const rowIn = (rows: readonly PartitionRow[], partition: number, namespace: string): PartitionRow => {
  const row = rows.find((one) => one.partition === partition && one.namespace === namespace);
  if (!row) throw new Error(`Partition ${partition} has no row in ${namespace}.`);
  return row;
};

describe('The doctor of a store with partitions', () =>
  onServers((createTestStore) => {
    it('The doctor of a store with partitions finds nothing in a healthy one, and changes nothing', async () => {
      const testStore = await createTestStore();
      await fillPartitions(testStore);
      const rowsBefore = await rowsOf(testStore, PARTITION_COUNT);
      const examination = await runDoctor(testStore, true);
      expect(examination.findings).toEqual([]);
      expect(examination.contents).toEqual({ tasks: 4 * PARTITION_COUNT, setAside: [] });
      expect(await rowsOf(testStore, PARTITION_COUNT)).toEqual(rowsBefore);
    });

    it('The doctor of a store with partitions says in which partition each finding is, and repairs it there', async () => {
      const testStore = await createTestStore();
      await fillPartitions(testStore);
      const rowsBefore = await rowsOf(testStore, PARTITION_COUNT);
      await writeTo(testStore, { partition: 2, namespace: 'costs', key: 'rubbish', text: 'rubbish' });
      const damagedRows = await rowsOf(testStore, PARTITION_COUNT);
      expect(await findingsIn(testStore, false)).toEqual(['2 unreadable 1']);
      expect(await rowsOf(testStore, PARTITION_COUNT)).toEqual(damagedRows);
      await findingsIn(testStore, true);
      expect(await findingsIn(testStore, true)).toEqual([]);
      const rowsAfter = await rowsOf(testStore, PARTITION_COUNT);
      expect(rowsAfter.filter(({ namespace }) => namespace === 'quarantine')).toMatchObject([{ partition: 2 }]);
      expect(rowsAfter.filter(({ namespace }) => namespace !== 'quarantine')).toEqual(rowsBefore);
    });

    it('The doctor of a store with partitions moves tasks that are in the wrong partition to the right one, with all of their rows', async () => {
      const testStore = await createTestStore();
      await fillPartitions(testStore);
      const rowsBefore = await rowsOf(testStore, PARTITION_COUNT);
      const [live, finished, entry] = ['live', 'finished', 'ledger'].map((namespace) =>
        rowIn(rowsBefore, 1, namespace),
      );
      if (!live || !finished || !entry) throw new Error('Tasks were expected.');
      const store = await openWhole(testStore, {
        log: testStore.log,
        clock: testStore.clock,
        leaseMs: LONG_LEASE_MS,
        create: false,
      });
      for (const { namespace, key } of [live, finished, entry])
        await store?.partitions[1]?.backend.adapter(namespace).deleteMany([key]);
      await store?.close();
      await writeTo(testStore, ...[live, finished, entry].map((row) => ({ ...row, partition: 3 })));
      expect(await findingsIn(testStore, false)).toContain('3 wrong-partition 3');
      await findingsIn(testStore, true);
      expect(await findingsIn(testStore, true)).toEqual([]);
      expect(await rowsOf(testStore, PARTITION_COUNT)).toEqual(rowsBefore);
    });

    it("The doctor of a store with partitions moves a server's settings to the right partition, and sets aside those that exist there already", async () => {
      const testStore = await createTestStore();
      const [home, other] = ['home', 'other'].map((name) => partitionOf(bucketOf(name), PARTITION_COUNT));
      await populatePartitions(testStore, PARTITION_COUNT, async (store, { number }) => {
        if (number === home) await store.budgets.put({ guildId: 'home', ...EMPTY_BUDGET, isPaused: true });
        if (number === (home ?? 0) + 1) await store.budgets.put({ guildId: 'home', ...EMPTY_BUDGET });
        if (number === ((other ?? 0) + 1) % PARTITION_COUNT)
          await store.budgets.put({ guildId: 'other', ...EMPTY_BUDGET, isPaused: true });
      });
      await findingsIn(testStore, true);
      expect(await findingsIn(testStore, true)).toEqual([]);
      const rows = await rowsOf(testStore, PARTITION_COUNT);
      const budgets = rows.filter(({ namespace }) => namespace === 'budgets');
      expect(budgets.map(({ partition, key }) => [key, partition]).sort()).toEqual([
        ['of home', home],
        ['of other', other],
      ]);
      expect(budgets.every(({ text }) => text.includes('"isPaused":true'))).toBe(true);
      expect(rows.filter(({ namespace }) => namespace === 'quarantine')).toHaveLength(1);
    });

    it('The doctor of a store with partitions makes the hash keys equal if nothing was hashed with a different one', async () => {
      const testStore = await createTestStore();
      await fillPartitions(testStore);
      const rowsBefore = await rowsOf(testStore, PARTITION_COUNT);
      expect(new Set(rowsBefore.filter(({ key }) => key === 'hashes').map(({ text }) => text)).size).toBe(1);
      const guildId = Array.from({ length: 100 }, (_, index) => `server ${index}`).find(
        (name) => partitionOf(bucketOf(name), PARTITION_COUNT) === 2,
      );
      const text = '{"value":{"secret":"another"}}';
      await writeTo(testStore, ...[1, 2].map((partition) => ({ partition, namespace: 'meta', key: 'hashes', text })));
      await writeTo(testStore, {
        partition: 2,
        namespace: 'budgets',
        key: `of ${guildId}`,
        text: JSON.stringify({ value: { guildId, ...EMPTY_BUDGET } }),
      });
      expect(await findingsIn(testStore, true)).toEqual(
        expect.arrayContaining(['1 secret-different 1', '2 secret-in-use 1']),
      );
      expect((await findingsIn(testStore, true)).filter((one) => one.includes('secret'))).toEqual([
        '2 secret-in-use 1',
      ]);
    });

    it('The doctor of a store with partitions reports partitions beyond the recorded number', async () => {
      const testStore = await createTestStore();
      await fillPartitions(testStore);
      await writeTo(testStore, { partition: 0, namespace: 'meta', key: 'partitions', text: '{"value":{"count":3}}' });
      expect((await findingsIn(testStore, false)).filter((one) => one.includes('unknown'))).toEqual([
        '3 partition-unknown 1',
      ]);
    });

    it('The doctor of a store with partitions refuses to run while a worker owns any partition, and then acquires none', async () => {
      const testStore = await createTestStore();
      await fillPartitions(testStore);
      const cluster = await openCluster(testStore, PARTITION_COUNT);
      for (const partition of [0, 3]) {
        const ownedStore = await cluster.open(partition);
        await expect(runDoctor(testStore, true)).rejects.toMatchObject({
          kind: 'in-use',
          message: expect.stringContaining('ATELIER_ROLE=worker'),
        });
        expect([...(await cluster.owners()).keys()]).toEqual([partition]);
        await ownedStore.close();
      }
      expect((await runDoctor(testStore, true)).findings).toEqual([]);
      expect([...(await cluster.owners()).keys()]).toEqual([]);
    });
  }));
