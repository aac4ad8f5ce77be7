import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskStore } from '../../../src/services/orders/task-store.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { summaryOf } from '../../../src/services/tasks/task-summary.ts';
import { LONG_LEASE_MS, onEveryStore, populateStore, type RawRow, type TestStore } from './sites.ts';
import { makeTask, START, settled } from './store-fixture.ts';

const createdAt = (ms: number) => ({ times: { created: START + ms } });
const members = ['ann', 'bob'];

/** Expects every list to match the stored tasks. */
async function expectMatchingLists(store: TaskStore, ids: Iterable<string>): Promise<void> {
  const tasks = await Promise.all(
    [...new Set(ids)]
      .sort()
      .reverse()
      .map((id) => store.get(id)),
  );
  const summaries = tasks
    .filter((task) => task !== undefined)
    .map((task) => JSON.parse(JSON.stringify(summaryOf(task))));
  const owners = [...members.map((memberId) => ({ memberId })), { guildId: 'den' }];
  for (const owner of owners) {
    const page = await store.page({ of: owner, max: 10_000 });
    const isTheirs = (summary: { requesterId: string }) =>
      !('memberId' in owner) || owner.memberId === summary.requesterId;
    expect(JSON.parse(JSON.stringify(page.summaries))).toEqual(summaries.filter(isTheirs));
  }
}

function fillWith(testStore: TestStore, tasks: readonly Task[]): Promise<RawRow[]> {
  return populateStore(testStore, async (store) => {
    for (const task of tasks) await store.put(task);
  });
}

async function restoreRows(testStore: TestStore, rows: readonly RawRow[]): Promise<void> {
  const textsByKey = new Map((await testStore.rows()).map((row) => [`${row.namespace} ${row.key}`, row.text]));
  const wantedKeys = new Set(rows.map(({ namespace, key }) => `${namespace} ${key}`));
  await testStore.drop(({ namespace, key }) => !wantedKeys.has(`${namespace} ${key}`));
  await testStore.write(...rows.filter(({ namespace, key, text }) => textsByKey.get(`${namespace} ${key}`) !== text));
}

interface Changes {
  addedIds?: string[];
  removedIds?: string[];
}

/**
 * Repeats the work from the same state until it completes. The power fails first before any write, then after one
 * write, after two, and so on.
 */
async function crashAfterEveryWrite(
  testStore: TestStore,
  initialTasks: readonly Task[],
  work: (store: TaskStore) => Promise<void>,
  { addedIds = [], removedIds = [] }: Changes = {},
) {
  const rows = await fillWith(testStore, initialTasks);
  for (let writes = 0; ; writes++) {
    await restoreRows(testStore, rows);
    const failingStore = await testStore.openFailing(writes);
    const isComplete = await work(failingStore).then(
      () => true,
      () => false,
    );
    await failingStore.close();
    const store = await testStore.open();
    const live = await store.live();
    await expectMatchingLists(store, [...addedIds, ...initialTasks.map(({ id }) => id)]);
    for (const { id } of initialTasks) if (!removedIds.includes(id)) expect(await store.get(id)).toBeDefined();
    if (isComplete) for (const id of addedIds) expect(await store.get(id)).toBeDefined();
    const liveKeys = await testStore.keys('live');
    expect(liveKeys).toEqual(live.map(({ id }) => id).sort());
    expect((await testStore.keys('finished')).filter((key) => liveKeys.includes(key))).toEqual([]);
    expect(testStore.logged).toEqual([]);
    await store.close();
    if (isComplete) return writes;
  }
}

describe('A crash between any two writes', () =>
  onEveryStore((createClosedStore) => {
    const createTestStore = async (): Promise<TestStore> => {
      const testStore = await createClosedStore();
      await testStore.keepOpen();
      return testStore;
    };

    it('After a crash between any two writes of the first task, the store is valid', async () => {
      const task = makeTask();
      expect(
        await crashAfterEveryWrite(await createTestStore(), [], (store) => store.put(task), { addedIds: [task.id] }),
      ).toBeGreaterThan(1);
    });

    it('After a crash between any two writes of a settlement, the store is valid', async () => {
      const task = makeTask(createdAt(7));
      await crashAfterEveryWrite(await createTestStore(), [makeTask(createdAt(6)), task], (store) =>
        store.put(settled(task)),
      );
    });

    it('After a crash between any two writes of a removal, the store is valid', async () => {
      const task = makeTask(createdAt(7));
      await crashAfterEveryWrite(
        await createTestStore(),
        [makeTask(createdAt(6)), task],
        (store) => store.remove(task),
        {
          removedIds: [task.id],
        },
      );
      await crashAfterEveryWrite(await createTestStore(), [task], (store) => store.remove(task), {
        removedIds: [task.id],
      });
      await crashAfterEveryWrite(await createTestStore(), [settled(task)], (store) => store.remove(settled(task)), {
        removedIds: [task.id],
      });
    });

    it('A crash between any two writes leaves no fingerprints without their task', async () => {
      const testStore = await createTestStore();
      const task = makeTask({ ...createdAt(0), fingerprints: [{ hash: 'a'.repeat(64) }] });
      const expectTaskOfFingerprints = async (): Promise<void> => {
        const store = await testStore.open();
        const storedTask = await store.get(task.id);
        await store.close();
        expect((await testStore.keys('fingerprints')).filter(() => !storedTask?.fingerprints)).toEqual([]);
      };
      const steps: [readonly Task[], (store: TaskStore) => Promise<void>][] = [
        [[task], (store) => store.put(settled(task))],
        [[task], (store) => store.remove(task)],
        [[settled(task)], (store) => store.remove(settled(task))],
      ];
      for (const [initialTasks, work] of steps) {
        const rows = await fillWith(testStore, initialTasks);
        for (let writes = 0, isComplete = false; !isComplete; writes++) {
          await restoreRows(testStore, rows);
          const failingStore = await testStore.openFailing(writes);
          isComplete = await work(failingStore).then(
            () => true,
            () => false,
          );
          await failingStore.close();
          await expectTaskOfFingerprints();
        }
      }
      expect(await testStore.keys('fingerprints')).toEqual([]);
    });

    it('After a crash between any two writes of a change to a finished task, or of a new task that is already finished, the store is valid', async () => {
      const task = settled(makeTask());
      await crashAfterEveryWrite(await createTestStore(), [task], (store) =>
        store.put({ ...task, state: 'cancelled' }),
      );
      await crashAfterEveryWrite(await createTestStore(), [], (store) => store.put(task), { addedIds: [task.id] });
    });

    it('After a crash between any two writes, a row that is being set aside is always in at least one place', async () => {
      for (const writes of [0, 1, 2]) {
        const testStore = await createTestStore();
        await (await testStore.open()).close();
        await testStore.write({ namespace: 'live', key: 'broken', text: 'rubbish' });
        const failingStore = await testStore.openFailing(writes);
        await failingStore.live().catch(() => undefined);
        await failingStore.close();
        expect((await testStore.rows()).filter(({ text }) => text.includes('rubbish'))).not.toEqual([]);
        const store = await testStore.open();
        expect(await store.live()).toEqual([]);
        expect([await testStore.keys('live'), (await testStore.keys('quarantine')).length]).toEqual([[], 1]);
      }
    });
  }));

describe('Any sequence of operations and crashes', () => {
  type Step = { what: 'put' | 'settle' | 'remove' | 'reopen' | 'crash'; which: number };
  const stepArbitrary: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('put', 'put', 'settle', 'settle', 'remove', 'reopen', 'crash'),
    which: fc.nat({ max: 11 }),
  });

  onEveryStore((createTestStore) =>
    it('Any sequence of operations and crashes leaves lists that match the tasks', async () => {
      const testStore = await createTestStore();
      const initialTasks = Array.from({ length: 97 }, (_, index) => settled(makeTask(createdAt(index * 10))));
      const rows = await fillWith(testStore, initialTasks);
      const pool = Array.from({ length: 12 }, (_, index) =>
        makeTask({ ...createdAt((index * 137) % 1_100), requesterId: members[index % 2] ?? 'ann' }),
      );
      const ids = [...initialTasks, ...pool].map(({ id }) => id);
      await fc.assert(
        fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 20 }), async (steps) => {
          await restoreRows(testStore, rows);
          let store = await testStore.open({ leaseMs: LONG_LEASE_MS });
          const model = new Map<string, Task>(initialTasks.map((task) => [task.id, task]));
          for (const { what, which } of steps) {
            const task = pool[which] ?? makeTask();
            if (what === 'put' && !model.get(task.id)?.times.settled) {
              await store.put(task);
              model.set(task.id, task);
            } else if (what === 'settle') {
              await store.put(settled(task));
              model.set(task.id, settled(task));
            } else if (what === 'remove') {
              await store.remove(task);
              model.delete(task.id);
            } else if (what === 'reopen' || what === 'crash') {
              await store.close();
              if (what === 'crash') {
                const failingStore = await testStore.openFailing(which % 5);
                await failingStore.put(settled(task)).catch(() => undefined);
                await failingStore.close();
              }
              store = await testStore.open({ leaseMs: LONG_LEASE_MS });
              await store.live();
              // An interrupted operation is stored or not; everything else follows from the tasks.
              const stored = await store.get(task.id);
              expect(stored !== undefined || !model.has(task.id)).toBe(true);
              if (stored) model.set(task.id, stored);
            }
          }
          for (const id of ids) expect((await store.get(id))?.times.settled).toBe(model.get(id)?.times.settled);
          await expectMatchingLists(store, ids);
          await store.close();
        }),
        { numRuns: testStore.kind === 'sqlite' ? 20 : 5 },
      );
    }),
  );
});
