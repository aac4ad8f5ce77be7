import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { WHOLE_BOT } from '../../../../src/services/money/budgets.ts';
import { hashedName } from '../../../../src/services/money/hashed-names.ts';
import { EMPTY_BUDGET } from '../../../../src/services/money/server-budget.ts';
import { PAUSE_PARTITION } from '../../../../src/services/money/whole-bot.ts';
import { countRows, isSameContent } from '../../../../src/services/store/copy/migrate.ts';
import { findStrays } from '../../../../src/services/store/copy/row-homes.ts';
import { examine } from '../../../../src/services/store/examination/examination.ts';
import { namespaceNames } from '../../../../src/services/store/namespaces.ts';
import { bucketOf, partitionOf, WHOLE_STORE } from '../../../../src/services/tasks/homes.ts';
import { fillEveryNamespace } from '../every-namespace.ts';
import { openCluster, type PartitionRow, populatePartitions, rowsOf, writeTo } from '../partitioned.ts';
import { LONG_LEASE_MS, onServers, onStores, populateStore, type TestStore } from '../sites.ts';
import { START } from '../store-fixture.ts';
import { migrate, openWholeStore } from './migration-fixture.ts';

const GUILDS = Array.from({ length: 12 }, (_, index) => `4000000000000000${10 + index}`);
const partitionIn = (count: number) => (guildId: string) => partitionOf(bucketOf(guildId), count);
const NOT_COPIED = ['meta', 'durations', 'models', 'costs', 'asking', 'pseudonyms', 'forgetting', 'notices', 'runs'];

const fillWhole = (testStore: TestStore) =>
  populateStore(testStore, (store) => fillEveryNamespace(store, WHOLE_STORE, GUILDS));
const fillPartitions = (testStore: TestStore, count: number) =>
  populatePartitions(testStore, count, (store, partition) =>
    fillEveryNamespace(
      store,
      partition,
      GUILDS.filter((id) => partitionIn(count)(id) === partition.number),
    ),
  );

const contentOf = (rows: readonly PartitionRow[], ...excludedNamespaces: string[]): string[] =>
  rows
    .filter(({ namespace }) => !excludedNamespaces.includes(namespace))
    .map(({ namespace, key, text }) => `${namespace} ${key} ${text}`)
    .sort();

const valuesIn = (rows: readonly PartitionRow[], namespace: string): unknown[] =>
  rows.filter((row) => row.namespace === namespace).map(({ text }) => JSON.parse(text).value);

const unexpectedFindings = async (testStore: TestStore): Promise<unknown> => {
  const parts = { clock: testStore.clock, log: testStore.log, specs: kindSpecs, leaseMs: LONG_LEASE_MS, repair: false };
  const { findings } = await examine(testStore, parts);
  return findings.filter(({ kind }) => kind !== 'orphaned-order');
};

/** Parses the rows, so that a comparison ignores the order of their fields. */
const parseRows = (rows: readonly PartitionRow[]): Map<string, unknown> =>
  new Map(rows.map(({ namespace, key, text }) => [`${namespace} ${key}`, JSON.parse(text)]));

describe('A store that is divided', () =>
  onServers((createTestStore) =>
    onStores(['sqlite'], (createFileStore) => {
      it('A store that is divided has every row once, in the right partition, and is the same when it is merged again', async () => {
        const [fromStore, toStore, mergedStore] = [
          await createFileStore(),
          await createTestStore(),
          await createFileStore(),
        ];
        await fillWhole(fromStore);
        const rowsBefore = await rowsOf(fromStore, 1);
        expect([...new Set(rowsBefore.map(({ namespace }) => namespace))].sort()).toEqual([...namespaceNames].sort());
        expect((await migrate(fromStore, toStore, { count: 4 })).every(isSameContent)).toBe(true);
        expect(await rowsOf(fromStore, 1)).toEqual(rowsBefore);
        const divided = await rowsOf(toStore, 4);
        expect(contentOf(divided, ...NOT_COPIED)).toEqual(contentOf(rowsBefore, ...NOT_COPIED));
        const store = await openWholeStore(toStore);
        expect(await Array.fromAsync(findStrays(store.partitions.map(({ backend }) => backend)))).toEqual([]);
        await store.close();
        expect(await unexpectedFindings(toStore)).toEqual(await unexpectedFindings(fromStore));
        const cluster = await openCluster(toStore, 4);
        const pages = [];
        for (let number = 0; number < 4; number++) {
          const bot = await cluster.open(number);
          expect((await bot.budgets.all()).length).toBe(GUILDS.filter((id) => partitionIn(4)(id) === number).length);
          pages.push(...(await bot.page({ of: { memberId: 'member 1' }, max: 500 })).summaries);
          await bot.close();
        }
        expect(new Set(pages.map(({ id }) => id)).size).toBe(pages.length);
        expect(pages).toHaveLength(
          rowsBefore.filter(({ namespace, text }) => /^(live|finished)$/.test(namespace) && text.includes('"member 1"'))
            .length,
        );
        await cluster.close();
        await migrate(toStore, mergedStore, { count: 1 });
        const rowsKept = rowsBefore.filter(({ namespace }) => namespace !== 'runs');
        expect(parseRows(await rowsOf(mergedStore, 1))).toEqual(parseRows(rowsKept));
      });

      it('The pause of the whole bot comes into the partition that has it, where the doctor leaves it', async () => {
        const [fromStore, toStore] = [await createFileStore(), await createTestStore()];
        await populateStore(fromStore, (store) =>
          store.budgets.put({ guildId: WHOLE_BOT, ...EMPTY_BUDGET, isPaused: true }),
        );
        await migrate(fromStore, toStore, { count: 4 });
        expect(await unexpectedFindings(toStore)).toEqual([]);
        const rows = (await rowsOf(toStore, 4)).filter(({ namespace }) => namespace === 'budgets');
        expect(rows.map(({ partition }) => partition)).toEqual([PAUSE_PARTITION]);
      });

      it('A store that is divided can become a single partition, in which the learned data of its partitions is merged', async () => {
        const [fromStore, toStore] = [await createTestStore(), await createFileStore()];
        await fillPartitions(fromStore, 3);
        const rowsBefore = await rowsOf(fromStore, 3);
        expect((await migrate(fromStore, toStore, { count: 1 })).every(isSameContent)).toBe(true);
        const rowsAfter = await rowsOf(toStore, 1);
        const mergedNamespaces = [...NOT_COPIED, 'quarantine'];
        expect(contentOf(rowsAfter, ...mergedNamespaces)).toEqual(contentOf(rowsBefore, ...mergedNamespaces));
        expect(rowsAfter.filter(({ namespace }) => namespace === 'quarantine')).toHaveLength(3);
        const duration = { atLeastMs: 1, atMostMs: 2 };
        expect(valuesIn(rowsAfter, 'durations')).toEqual([
          { durationKey: 'imagine', durations: [0, 1, 2].map((index) => ({ ...duration, at: START + index })) },
        ]);
        expect(valuesIn(rowsAfter, 'costs')).toMatchObject([{ variants: [{ amounts: ['0.10', '0.20', '0.20'] }] }]);
        expect(valuesIn(rowsAfter, 'models')).toEqual([{ id: 'model', delivered: ['image'], unfit: ['video'] }]);
        expect(valuesIn(rowsAfter, 'asking')).toEqual([{ at: START + 2 }]);
        expect(valuesIn(rowsAfter, 'notices')).toMatchObject([
          { since: START, count: 3, messages: [0, 1, 2].map((index) => ({ id: `message ${index}` })) },
        ]);
        expect(valuesIn(rowsAfter, 'runs')).toEqual([]);
        expect(valuesIn(rowsAfter, 'forgetting')).toMatchObject([
          { memberId: 'member 0', until: START + 2, tasks: 1, messages: 2 },
        ]);
        const pseudonyms = rowsAfter.filter(({ namespace }) => namespace === 'pseudonyms');
        for (const { key, text } of pseudonyms)
          expect(text).toBe(rowsBefore.find((row) => row.namespace === 'pseudonyms' && row.key === key)?.text);
        expect(pseudonyms).toHaveLength(
          new Set(rowsBefore.filter(({ namespace }) => namespace === 'pseudonyms').map(({ key }) => key)).size,
        );
        const meta = parseRows(rowsAfter.filter(({ namespace }) => namespace === 'meta'));
        expect(meta.get('meta ledger')).toEqual({ value: { openSince: '2026-01-01' } });
        expect(meta.has('meta partitions')).toBe(false);
        expect(await unexpectedFindings(toStore)).toEqual([]);
        const store = await toStore.open();
        expect((await store.page({ of: { memberId: 'member 1' }, max: 500 })).summaries.length).toBeGreaterThan(0);
      });

      it('A store that is divided can get another number of partitions, or keep its own on another server', async () => {
        const [fromStore, other, same] = [await createTestStore(), await createTestStore(), await createTestStore()];
        await fillPartitions(fromStore, 3);
        const rowsBefore = await rowsOf(fromStore, 3);
        expect((await migrate(fromStore, same, { count: 3 })).every(isSameContent)).toBe(true);
        expect(await rowsOf(same, 3)).toEqual(rowsBefore);
        expect((await migrate(fromStore, other, { count: 2 })).every(isSameContent)).toBe(true);
        const rowsAfter = await rowsOf(other, 2);
        const mergedNamespaces = [...NOT_COPIED, 'quarantine'];
        expect(contentOf(rowsAfter, ...mergedNamespaces)).toEqual(contentOf(rowsBefore, ...mergedNamespaces));
        expect(await unexpectedFindings(other)).toEqual([]);
      });

      it('Dividing a store can be interrupted anywhere and restarted, and no process opens a half-filled store', async () => {
        const [fromStore, toStore] = [await createFileStore(), await createTestStore()];
        await fillWhole(fromStore);
        for (const writes of [1, 3, 1, 9, 12]) {
          await expect(migrate(fromStore, toStore, { count: 4, writes })).rejects.toThrow('no power');
          await expect(openCluster(toStore, 4)).rejects.toMatchObject({
            kind: 'unsupported',
            message: expect.stringContaining('not complete'),
          });
        }
        expect((await migrate(fromStore, toStore, { count: 4 })).every(isSameContent)).toBe(true);
        const rowsBefore = await rowsOf(fromStore, 1);
        expect(contentOf(await rowsOf(toStore, 4), ...NOT_COPIED)).toEqual(contentOf(rowsBefore, ...NOT_COPIED));
        // A second move only compares the rows.
        await writeTo(toStore, { partition: 1, namespace: 'costs', key: 'of new', text: '{"value":1}' });
        expect(
          (await migrate(fromStore, toStore, { count: 4 }))
            .filter((moved) => !isSameContent(moved))
            .map(({ namespace }) => namespace),
        ).toEqual(['costs']);
      });

      it('A store is not divided into one with other tasks or another number of partitions, nor if it has rows in the wrong partition', async () => {
        const [fromStore, fullStore, misplacedStore, toStore] = [
          await createFileStore(),
          await createTestStore(),
          await createTestStore(),
          await createTestStore(),
        ];
        await fillWhole(fromStore);
        await fillPartitions(fullStore, 2);
        await expect(migrate(fromStore, fullStore, { count: 2 })).rejects.toThrow('it is not empty');
        await expect(migrate(fromStore, fullStore, { count: 4 })).rejects.toThrow(
          'has 2 partitions, and 4 partitions would be needed',
        );
        await expect(migrate(fullStore, await createFileStore(), { count: 2 })).rejects.toThrow('is a file');
        await fillPartitions(misplacedStore, 2);
        const row = (await rowsOf(misplacedStore, 2)).find(
          ({ partition, namespace }) => partition === 0 && namespace === 'live',
        );
        if (!row) throw new Error('A live task was expected.');
        await writeTo(misplacedStore, { ...row, partition: 1 });
        await expect(migrate(misplacedStore, toStore, { count: 4 })).rejects.toThrow('npm run doctor');
        expect(await rowsOf(toStore, 4)).toEqual([]);
      });

      it('A store that is divided keeps the usage of an erased member in the sums of the server', async () => {
        const [fromStore, toStore] = [await createFileStore(), await createTestStore()];
        await fillWhole(fromStore);
        const secret = valuesIn(await rowsOf(fromStore, 1), 'meta')
          .flatMap((value) => (value as { secret?: string }).secret ?? [])
          .join();
        const anonymousEntries = GUILDS.map((guildId, index) => ({
          guildId,
          entry: `2026-01-01:anonymous 0 ${index}`,
        }));
        const row = ({ guildId, entry }: { guildId: string; entry: string }) => ({
          partition: 0,
          namespace: 'allowances',
          key: `of ${entry}`,
          text: JSON.stringify({ value: { entry, scopes: ['total', hashedName(`server ${guildId}`, secret)] } }),
        });
        await writeTo(fromStore, ...anonymousEntries.map(row));
        await migrate(fromStore, toStore, { count: 4 });
        const rows = await rowsOf(toStore, 4);
        for (const { guildId, entry } of anonymousEntries) {
          const partitionNumbers = rows
            .filter(({ key }) => key === entry || key === `of ${entry}`)
            .map(({ partition }) => partition);
          expect(partitionNumbers).toEqual([partitionIn(4)(guildId), partitionIn(4)(guildId)]);
        }
      });

      it('A dry run of dividing a store counts the rows and writes nothing', async () => {
        const fromStore = await createFileStore();
        await fillWhole(fromStore);
        const rowsBefore = await rowsOf(fromStore, 1);
        const source = await openWholeStore(fromStore);
        const counts = await countRows(source, 4);
        await source.close();
        expect(counts.find(({ namespace }) => namespace === 'live')?.from.count).toBe(
          rowsBefore.filter(({ namespace }) => namespace === 'live').length,
        );
        expect(await rowsOf(fromStore, 1)).toEqual(rowsBefore);
      });
    }),
  ));
