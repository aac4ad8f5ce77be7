import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { EMPTY_BUDGET } from '../../../../src/services/money/server-budget.ts';
import { NO_RULES } from '../../../../src/services/safety/server-rules.ts';
import { isSameContent } from '../../../../src/services/store/copy/migrate.ts';
import { examine } from '../../../../src/services/store/examination/examination.ts';
import { itVariants } from '../../../support/variants.ts';
import { LONG_LEASE_MS, onStores, populateStore, type RawRow, type TestStore } from '../sites.ts';
import { makeTask, START, settled } from '../store-fixture.ts';
import { migrate } from './migration-fixture.ts';

const TASK_COUNT = 250;

/** Fills every namespace, and returns the rows. */
async function fillStore(testStore: TestStore): Promise<RawRow[]> {
  await populateStore(testStore, async (store) => {
    for (let index = 0; index < TASK_COUNT; index++) {
      const fingerprints = [{ hash: String(index).padStart(64, '0'), likeness: '0123456789abcdef' }];
      const task = makeTask({ times: { created: START + index }, text: '🦊 "quoted" \u0000', fingerprints });
      await store.put(index % 3 === 0 ? task : settled(task));
    }
    for (let index = 0; index < 20; index++)
      await store.sentOrders.put(`sent-${index}`, { idempotencyKey: `key-${index}`, body: '{"a":"🦊"}' });
    await store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START });
    await store.costs.put({
      kind: 'video',
      model: 'a/b:1',
      variants: [{ variant: 'x', amounts: ['0.10'], at: START }],
    });
    const orders = [{ kind: 'imagine' as const, request: { prompt: 'a fox' } }];
    await store.proposals.put({ id: 'p1', memberId: 'm1', orders, until: START + 60_000 }, 60_000);
    await store.pseudonyms.put({ memberId: 'm1', pseudonym: 'atelier-1' });
    await store.budgets.put({ guildId: 'den', ...EMPTY_BUDGET, isPaused: true });
    await store.runs.put({ at: START, version: '1.2.3', seenAt: START });
    const notice = { topic: 'lane', subject: 'videos', facts: { kind: 'busy' }, since: START, count: 1 };
    await store.notices.put({ ...notice, messages: [{ channelId: '1', id: '2' }], isShown: true });
    await store.rules.put({ guildId: 'den', ...NO_RULES, logChannelId: '123456789012345678' });
    const messageRef = { channelId: '123456789012345678', id: '223456789012345678' };
    await store.reports.put({
      id: 'r1',
      guildId: '323456789012345678',
      taskId: 't1',
      requesterId: '1',
      reporterId: '2',
      hash: 'a',
      reporterHash: 'b',
      message: messageRef,
      reason: 'hate',
      at: START,
      channelId: messageRef.channelId,
      due: [],
    });
    await store.serverLogs.put({ guildId: '323456789012345678', messages: [{ ...messageRef, at: START, about: '1' }] });
    await store.entries.setOpenSince('2026-01-01');
    const entry = { id: 'x', at: START, kind: 'imagine', facts: [{ standing: 'settled' as const, at: START }] };
    await store.entries.change('2026-01-01:x', () => entry);
  });
  await testStore.write(
    { namespace: 'live', key: 'broken', text: 'rubbish' },
    { namespace: 'quarantine', key: 'live:odd:1', text: '{"value":{"text":"odd"}}' },
  );
  return testStore.rows();
}

const isMark = ({ namespace, key }: RawRow): boolean => namespace === 'meta' && key === 'moving';
const rowsWithoutMark = async (testStore: TestStore): Promise<RawRow[]> =>
  (await testStore.rows()).filter((row) => !isMark(row));

/** Uses each kind of store once as the source and once as the target, with a file at the other end. */
for (const kind of ['sqlite', 'redis', 'postgres'] as const)
  describe('A store that is moved', () =>
    onStores([kind], (createTestStore) =>
      onStores(['sqlite'], (createFileStore) => {
        itVariants(['from', 'to'])(
          'A store that is moved %s this kind of store is complete, and the next bot continues with it',
          async (direction) => {
            const [fromStore, toStore] =
              direction === 'from'
                ? [await createTestStore(), await createFileStore()]
                : [await createFileStore(), await createTestStore()];
            const rows = await fillStore(fromStore);
            const counts = await migrate(fromStore, toStore);
            expect(counts.every(isSameContent)).toBe(true);
            expect(counts.reduce((sum, one) => sum + one.to.count, 0)).toBe(rows.length);
            expect(await rowsWithoutMark(toStore)).toEqual(rows);
            expect(await fromStore.rows()).toEqual(rows);
            const store = await toStore.open();
            expect(await store.live()).toHaveLength(Math.ceil(TASK_COUNT / 3));
            expect((await store.page({ of: { memberId: 'ann' }, max: 500 })).summaries).toHaveLength(TASK_COUNT);
            const fingerprints = await Array.fromAsync(store.fingerprints.all());
            expect(fingerprints).toHaveLength(TASK_COUNT - Math.ceil(TASK_COUNT / 3));
            expect((await store.costs.all()).map(({ model }) => model)).toEqual(['a/b:1']);
            const entryIds: string[] = [];
            for await (const { id } of store.entries.readRange('2026-01-01', '2026-01-02')) entryIds.push(id);
            expect(entryIds).toEqual(['x']);
          },
        );

        it('Moving a store can be interrupted anywhere and restarted, and no bot starts on a half-filled store, and no doctor repairs it', async () => {
          const [fromStore, toStore] = [await createFileStore(), await createTestStore()];
          const rows = await fillStore(fromStore);
          for (const writes of [1, 1, 2, 1]) {
            await expect(migrate(fromStore, toStore, { writes })).rejects.toThrow('no power');
            await expect(toStore.open()).rejects.toMatchObject({ kind: 'unsupported' });
            const parts = {
              specs: kindSpecs,
              clock: toStore.clock,
              log: toStore.log,
              leaseMs: LONG_LEASE_MS,
              repair: true,
            };
            await expect(examine(toStore, parts)).rejects.toThrow('npm run migrate-store');
          }
          // Between two attempts the bot continued with the old store.
          await fromStore.drop(({ namespace }) => namespace === 'quarantine');
          expect((await migrate(fromStore, toStore)).every(isSameContent)).toBe(true);
          expect(await rowsWithoutMark(toStore)).toEqual(rows.filter(({ namespace }) => namespace !== 'quarantine'));
          await (await toStore.open()).close();
        });

        it('Moving a store changes nothing if another bot has tasks in the target, or if the store was moved there before', async () => {
          const [fromStore, other, toStore] = [
            await createFileStore(),
            await createFileStore(),
            await createTestStore(),
          ];
          await fillStore(fromStore);
          await fillStore(other);
          await populateStore(toStore, (store) => store.put(makeTask()));
          const rowsBefore = await toStore.rows();
          await expect(migrate(fromStore, toStore)).rejects.toMatchObject({ kind: 'unsupported' });
          expect(await toStore.rows()).toEqual(rowsBefore);
          await toStore.drop(() => true);
          await migrate(fromStore, toStore);
          await expect(migrate(other, toStore)).rejects.toThrow('it was filled from');
          // Once the new bot has started, a second move only compares the rows.
          const store = await toStore.open();
          await store.put(makeTask());
          await store.close();
          const rowsAfter = await toStore.rows();
          expect(
            (await migrate(fromStore, toStore)).filter((one) => !isSameContent(one)).map(({ namespace }) => namespace),
          ).toEqual(['live', 'index']);
          expect(await toStore.rows()).toEqual(rowsAfter);
        });

        it('Moving a store is refused while a bot runs on either side', async () => {
          const [fromStore, toStore] = [await createFileStore(), await createTestStore()];
          await fillStore(fromStore);
          for (const busyStore of [fromStore, toStore]) {
            const store = await busyStore.open();
            await expect(migrate(fromStore, toStore)).rejects.toMatchObject({ kind: 'in-use' });
            await store.close();
          }
        });
      }),
    ));
