import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { hashedName } from '../../../src/services/hashed-names.ts';
import { countDivided, moveWhole } from '../../../src/services/store/division/move-whole.ts';
import { findStrays } from '../../../src/services/store/division/row-homes.ts';
import { examine, isSame, StoreError } from '../../../src/services/store/index.ts';
import { namespaceNames } from '../../../src/services/store/namespaces.ts';
import { openWhole, type WholeStore } from '../../../src/services/store/whole-store.ts';
import { bucketOf, partitionOf, WHOLE_STORE } from '../../../src/services/tasks/homes.ts';
import { fillEveryNamespace } from './every-namespace.ts';
import { openCluster, type PartitionRow, populatePartitions, rowsOf, writeTo } from './partitioned.ts';
import { onServers, onStores, populateStore, type TestStore } from './sites.ts';
import { START } from './stage.ts';

const GUILDS = Array.from({ length: 12 }, (_, at) => `4000000000000000${10 + at}`);
const homeIn = (count: number) => (guildId: string) => partitionOf(bucketOf(guildId), count);
const NOT_COPIED = [
  'index',
  'meta',
  'durations',
  'models',
  'costs',
  'asking',
  'pseudonyms',
  'forgetting',
  'notices',
  'runs',
];

const openWholeStore = async ({ url, scheme, log, clock }: TestStore, count?: number): Promise<WholeStore> => {
  const store = await openWhole({ url, scheme }, { log, clock, create: count !== undefined, count });
  if (!store) throw new Error('A store was expected.');
  return store;
};

/** Moves everything. The power fails after this many writes to the target. */
async function move(from: TestStore, to: TestStore, count: number, writes = Number.POSITIVE_INFINITY) {
  const source = await openWholeStore(from);
  try {
    const target = await openWholeStore(to, count);
    let writesLeft = writes;
    try {
      const partitions = target.partitions.map((one) => {
        const backend = Object.create(one.backend, {
          name: { value: one.backend.name },
          failure: { get: () => one.backend.failure },
          adapter: {
            value(namespace: string) {
              const adapter = one.backend.adapter(namespace, 'immediate');
              for (const name of ['set', 'setMany', 'deleteMany'] as const) {
                const work = (adapter[name] as (...args: unknown[]) => Promise<unknown>).bind(adapter);
                Object.assign(adapter, {
                  async [name](...args: unknown[]) {
                    if (writesLeft-- <= 0) throw new StoreError('failed', 'no power');
                    return work(...args);
                  },
                });
              }
              return adapter;
            },
          },
          everyRow: { value: one.backend.everyRow.bind(one.backend) },
        });
        return { ...one, backend };
      });
      return await moveWhole(source, { ...target, partitions });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

const fillWhole = (testStore: TestStore) =>
  populateStore(testStore, (store) => fillEveryNamespace(store, WHOLE_STORE, GUILDS));
const fillPartitions = (testStore: TestStore, count: number) =>
  populatePartitions(testStore, count, (store, partition) =>
    fillEveryNamespace(
      store,
      partition,
      GUILDS.filter((id) => homeIn(count)(id) === partition.number),
    ),
  );

const contentOf = (rows: readonly PartitionRow[], ...without: string[]): string[] =>
  rows
    .filter(({ namespace }) => !without.includes(namespace))
    .map(({ namespace, key, text }) => `${namespace} ${key} ${text}`)
    .sort();

const valuesIn = (rows: readonly PartitionRow[], namespace: string): unknown[] =>
  rows.filter((row) => row.namespace === namespace).map(({ text }) => JSON.parse(text).value);

const unexpectedFindings = async (testStore: TestStore): Promise<unknown> => {
  const parts = { clock: testStore.clock, log: testStore.log, specs: kindSpecs, repair: false };
  const { findings } = await examine(testStore, parts);
  return findings.filter(({ kind }) => kind !== 'orphaned-order' && kind !== 'expired');
};

/** Parses the rows, so that a comparison ignores the order of their fields. */
const parseRows = (rows: readonly PartitionRow[]): Map<string, unknown> =>
  new Map(rows.map(({ namespace, key, text }) => [`${namespace} ${key}`, JSON.parse(text)]));

describe('A store that is divided', () =>
  onServers((createTestStore) =>
    onStores(['sqlite'], (createFileStore) => {
      it('A store that is divided has every row once, in the right partition, and is the same when it is merged again', async () => {
        const [from, to, back] = [await createFileStore(), await createTestStore(), await createFileStore()];
        await fillWhole(from);
        const before = await rowsOf(from, 1);
        expect([...new Set(before.map(({ namespace }) => namespace))].sort()).toEqual([...namespaceNames].sort());
        expect((await move(from, to, 4)).every(isSame)).toBe(true);
        expect(await rowsOf(from, 1)).toEqual(before);
        const divided = await rowsOf(to, 4);
        expect(contentOf(divided, ...NOT_COPIED)).toEqual(contentOf(before, ...NOT_COPIED));
        const store = await openWholeStore(to);
        expect(await Array.fromAsync(findStrays(store.partitions.map(({ backend }) => backend)))).toEqual([]);
        await store.close();
        expect(await unexpectedFindings(to)).toEqual(await unexpectedFindings(from));
        const cluster = await openCluster(to, 4);
        const pages = [];
        for (let number = 0; number < 4; number++) {
          const bot = await cluster.open(number);
          expect((await bot.budgets.all()).size).toBe(GUILDS.filter((id) => homeIn(4)(id) === number).length);
          pages.push(...(await bot.page({ of: { memberId: 'member 1' }, max: 500 })).summaries);
          await bot.close();
        }
        expect(new Set(pages.map(({ id }) => id)).size).toBe(pages.length);
        expect(pages).toHaveLength(
          before.filter(({ namespace, text }) => /^(live|finished)$/.test(namespace) && text.includes('"member 1"'))
            .length,
        );
        await cluster.close();
        await move(to, back, 1);
        expect(parseRows(await rowsOf(back, 1))).toEqual(parseRows(before));
      });

      it('A store that is divided can become a single partition, in which the learned data of its partitions is merged', async () => {
        const [from, to] = [await createTestStore(), await createFileStore()];
        await fillPartitions(from, 3);
        const before = await rowsOf(from, 3);
        expect((await move(from, to, 1)).every(isSame)).toBe(true);
        const after = await rowsOf(to, 1);
        const merged = [...NOT_COPIED, 'quarantine'];
        expect(contentOf(after, ...merged)).toEqual(contentOf(before, ...merged));
        expect(after.filter(({ namespace }) => namespace === 'quarantine')).toHaveLength(3);
        const duration = { atLeastMs: 1, atMostMs: 2 };
        expect(valuesIn(after, 'durations')).toEqual([
          { durations: [0, 1, 2].map((at) => ({ ...duration, at: START + at })) },
        ]);
        expect(valuesIn(after, 'costs')).toMatchObject([{ variants: [{ amounts: ['0.10', '0.20', '0.20'] }] }]);
        expect(valuesIn(after, 'models')).toEqual([{ id: 'model', delivered: ['image'], unfit: ['video'] }]);
        expect(valuesIn(after, 'asking')).toEqual([{ at: START + 2 }]);
        expect(valuesIn(after, 'notices')).toMatchObject([
          { since: START, count: 3, messages: [0, 1, 2].map((at) => ({ id: `message ${at}` })) },
        ]);
        expect(valuesIn(after, 'runs')).toHaveLength(3);
        expect(valuesIn(after, 'forgetting')).toMatchObject([
          { memberId: 'member 0', until: START + 2, tasks: 3, messages: 6 },
        ]);
        const pseudonyms = after.filter(({ namespace }) => namespace === 'pseudonyms');
        for (const { key, text } of pseudonyms) {
          const candidates = before.filter((row) => row.namespace === 'pseudonyms' && row.key === key);
          const home = homeIn(3)(key.replace('of ', ''));
          expect(text).toBe((candidates.find(({ partition }) => partition === home) ?? candidates[0])?.text);
        }
        expect(pseudonyms).toHaveLength(
          new Set(before.filter(({ namespace }) => namespace === 'pseudonyms').map(({ key }) => key)).size,
        );
        const meta = parseRows(after.filter(({ namespace }) => namespace === 'meta'));
        expect(meta.get('meta ledger')).toEqual({ value: { openSince: '2026-01-01' } });
        expect(meta.has('meta partitions')).toBe(false);
        expect(await unexpectedFindings(to)).toEqual([]);
        const store = await to.open();
        expect((await store.page({ of: { memberId: 'member 1' }, max: 500 })).summaries.length).toBeGreaterThan(0);
      });

      it('A store that is divided can get another number of partitions, or keep its own on another server', async () => {
        const [from, other, same] = [await createTestStore(), await createTestStore(), await createTestStore()];
        await fillPartitions(from, 3);
        const before = await rowsOf(from, 3);
        expect((await move(from, same, 3)).every(isSame)).toBe(true);
        expect(await rowsOf(same, 3)).toEqual(before);
        expect((await move(from, other, 2)).every(isSame)).toBe(true);
        const after = await rowsOf(other, 2);
        const merged = [...NOT_COPIED, 'quarantine'];
        expect(contentOf(after, ...merged)).toEqual(contentOf(before, ...merged));
        expect(await unexpectedFindings(other)).toEqual([]);
      });

      it('Dividing a store can be interrupted anywhere and restarted, and no process opens a half-filled store', async () => {
        const [from, to] = [await createFileStore(), await createTestStore()];
        await fillWhole(from);
        for (const writes of [1, 3, 1, 9, 12]) {
          await expect(move(from, to, 4, writes)).rejects.toThrow('no power');
          await expect(openCluster(to, 4)).rejects.toMatchObject({
            kind: 'unsupported',
            message: expect.stringContaining('not complete'),
          });
        }
        expect((await move(from, to, 4)).every(isSame)).toBe(true);
        const before = await rowsOf(from, 1);
        expect(contentOf(await rowsOf(to, 4), ...NOT_COPIED)).toEqual(contentOf(before, ...NOT_COPIED));
        // Moving again only compares.
        await writeTo(to, { partition: 1, namespace: 'costs', key: 'of new', text: '{"value":1}' });
        expect((await move(from, to, 4)).filter((moved) => !isSame(moved)).map(({ namespace }) => namespace)).toEqual([
          'costs',
        ]);
      });

      it('A store is not divided into one with other tasks or another number of partitions, nor if it has rows in the wrong partition', async () => {
        const [from, full, misplaced, to] = [
          await createFileStore(),
          await createTestStore(),
          await createTestStore(),
          await createTestStore(),
        ];
        await fillWhole(from);
        await fillPartitions(full, 2);
        await expect(move(from, full, 2)).rejects.toThrow('it holds the tasks of another bot');
        await expect(move(from, full, 4)).rejects.toThrow('has 2 partitions, and 4 partitions would be needed');
        await expect(move(full, await createFileStore(), 2)).rejects.toThrow('is a file');
        await fillPartitions(misplaced, 2);
        const row = (await rowsOf(misplaced, 2)).find(
          ({ partition, namespace }) => partition === 0 && namespace === 'live',
        );
        if (!row) throw new Error('A live task was expected.');
        await writeTo(misplaced, { ...row, partition: 1 });
        await expect(move(misplaced, to, 4)).rejects.toThrow('npm run doctor');
        expect(await rowsOf(to, 4)).toEqual([]);
      });

      it('A store that is divided keeps the usage of an erased member in the sums of the server', async () => {
        const [from, to] = [await createFileStore(), await createTestStore()];
        await fillWhole(from);
        const secret = valuesIn(await rowsOf(from, 1), 'meta')
          .flatMap((value) => (value as { secret?: string }).secret ?? [])
          .join();
        const kept = GUILDS.map((guildId, at) => ({ guildId, entry: `2026-01-01:anonymous 0 ${at}` }));
        const row = ({ guildId, entry }: { guildId: string; entry: string }) => ({
          partition: 0,
          namespace: 'allowances',
          key: `of ${entry}`,
          text: JSON.stringify({ value: { entry, scopes: ['total', hashedName(`server ${guildId}`, secret)] } }),
        });
        await writeTo(from, ...kept.map(row));
        await move(from, to, 4);
        const rows = await rowsOf(to, 4);
        for (const { guildId, entry } of kept) {
          const places = rows
            .filter(({ key }) => key === entry || key === `of ${entry}`)
            .map(({ partition }) => partition);
          expect(places).toEqual([homeIn(4)(guildId), homeIn(4)(guildId)]);
        }
      });

      it('A dry run of dividing a store counts the rows and writes nothing', async () => {
        const from = await createFileStore();
        await fillWhole(from);
        const before = await rowsOf(from, 1);
        const source = await openWholeStore(from);
        const counts = await countDivided(source, 4);
        await source.close();
        expect(counts.find(({ namespace }) => namespace === 'live')?.from.count).toBe(
          before.filter(({ namespace }) => namespace === 'live').length,
        );
        expect(await rowsOf(from, 1)).toEqual(before);
      });
    }),
  ));
