import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { createEntry, entryKey } from '../../../src/services/money/entry.ts';
import type { Backend, Durability } from '../../../src/services/store/backend.ts';
import { openNamespaces } from '../../../src/services/store/namespaces.ts';
import { openStoredTasks, type StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { onEveryStore, populateStore, type TestStore } from './sites.ts';
import { createStoreFixture, DAY_MS, MINUTE_MS, makeTask, START, settled } from './store-fixture.ts';

const toPlain = (task: Task | undefined): unknown => (task ? JSON.parse(JSON.stringify(task)) : undefined);

/** The backend as it is, and how durable each of its writes has to be. */
function withDurabilities(backend: Backend) {
  const durabilities: Durability[] = [];
  const write: Backend['write'] = (changes, durability) => {
    durabilities.push(durability);
    return backend.write(changes, durability);
  };
  return {
    durabilities,
    backend: new Proxy(backend, { get: (_, name) => (name === 'write' ? write : bound(backend, name)) }),
  };
}

function bound(backend: Backend, name: string | symbol): unknown {
  const value: unknown = Reflect.get(backend, name);
  return typeof value === 'function' ? value.bind(backend) : value;
}

describe('Stored tasks', () =>
  onEveryStore((createTestStore) => {
    it('Stored tasks are on the disk at once, except those that would be stored again after a power cut', async () => {
      const testStore = await createTestStore();
      const { durabilities, backend } = withDurabilities(await testStore.backend());
      const { clock, log } = testStore;
      const store = openStoredTasks({
        namespaces: openNamespaces(backend),
        specs: kindSpecs,
        clock,
        log,
        close: () => undefined,
      });
      const task = makeTask();
      await store.put(task);
      await store.put({ ...task, progress: 1 }, true);
      await store.put({ ...task, progress: 2 }, false);
      await store.put(settled(task));
      const entry = createEntry(task);
      await store.entries.change(entryKey(entry), () => entry, true);
      await store.entries.change(entryKey(entry), (known) => ({ ...(known ?? entry), roleIds: ['a'] }));
      expect(durabilities).toEqual(['immediate', 'deferred', 'immediate', 'immediate', 'deferred', 'immediate']);
    });

    it('Stored tasks are read as they were put, even after closing and opening again', async () => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const task = makeTask({ request: { prompt: 'Füchse 🦊 \u0000 "quoted"', list: [1, null] } });
      const first = await open();
      await first.put(task);
      expect(toPlain(await first.get(task.id))).toEqual(toPlain(task));
      await first.close();
      const second = await open();
      expect(toPlain(await second.get(task.id))).toEqual(toPlain(task));
      expect(await second.get('unknown')).toBeUndefined();
    });

    it('Stored tasks are either live or finished, and in one place only', async () => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const store = await open();
      const task = makeTask();
      await store.put(task);
      expect([await testStore.keys('live'), await testStore.keys('finished')]).toEqual([[task.id], []]);
      await store.put(settled(task));
      expect([await testStore.keys('live'), await testStore.keys('finished')]).toEqual([[], [task.id]]);
      expect((await store.get(task.id))?.state).toBe('delivered');
    });

    it('Stored tasks are never missing while they move from live to finished', async () => {
      const store = await (await createTestStore()).open();
      const tasks = Array.from({ length: 30 }, (_, index) => makeTask({ times: { created: START + index } }));
      for (const task of tasks) await store.put(task);
      let isMoving = true;
      const puts = Promise.all(tasks.map((task) => store.put(settled(task)))).finally(() => {
        isMoving = false;
      });
      for (let attempt = 0; isMoving; attempt++) {
        const task = tasks[attempt % tasks.length];
        const [found, page] = await Promise.all([
          store.get(task?.id ?? ''),
          store.page({ of: { memberId: 'ann' }, max: 99 }),
        ]);
        expect(found?.id).toBe(task?.id);
        expect(page.summaries).toHaveLength(30);
        // Some stores read without waiting, so the puts would never go on.
        await new Promise(setImmediate);
      }
      await puts;
    });

    it('Stored tasks change in place when they are finished, together with their list rows', async () => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const store = await open();
      const task = settled(makeTask());
      await store.put(task);
      await store.put({ ...task, state: 'cancelled', failure: { cause: 'dismissed' } });
      expect(await testStore.keys('finished')).toEqual([task.id]);
      const { summaries } = await store.page({ of: { memberId: 'ann' }, max: 10 });
      expect(summaries.map(({ state }) => state)).toEqual(['cancelled']);
    });

    it('The store reports unfinished work, oldest first', async () => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const store = await open();
      const tasks = [3, 1, 2].map((minute) => makeTask({ times: { created: START + minute * MINUTE_MS } }));
      for (const task of tasks) await store.put(task);
      await store.put(settled(makeTask({ times: { created: START } })));
      expect((await store.live()).map(({ times }) => (times.created - START) / MINUTE_MS)).toEqual([1, 2, 3]);
    });

    it.each([
      ['live', (task: Task) => task],
      ['finished', (task: Task) => settled(task)],
    ])('A %s task leaves no trace when it is removed', async (_name, prepare) => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const store = await open();
      const [keptTask, task] = [makeTask(), prepare(makeTask({ times: { created: START + 1 } }))];
      await store.put(keptTask);
      await store.put(task);
      await store.remove(task);
      expect(await store.get(task.id)).toBeUndefined();
      expect((await testStore.rows()).filter(({ text }) => text.includes(task.id))).toEqual([]);
      expect((await store.page({ of: { memberId: 'ann' }, max: 5 })).summaries.map(({ id }) => id)).toEqual([
        keptTask.id,
      ]);
      await store.remove(keptTask);
      expect(await testStore.keys('index')).toEqual([]);
    });

    it('A finished task disappears when it has expired', async () => {
      const testStore = await createTestStore();
      const { open, clock } = testStore;
      const store = await open();
      const task = settled(makeTask(), START);
      await store.put(task);
      clock.advance(400 * DAY_MS - 1);
      expect(await store.get(task.id)).toBeDefined();
      clock.advance(1);
      expect(await store.get(task.id)).toBeUndefined();
      expect((await store.page({ of: { memberId: 'ann' }, max: 5 })).summaries).toEqual([]);
    });

    it('Stored tasks expire after their remaining time, which is never stored as the zero that means forever', async () => {
      const testStore = await createTestStore();
      const { open, clock } = testStore;
      const store = await open();
      const oldTask = settled(makeTask(), START - 500 * DAY_MS);
      await store.put(oldTask);
      const fingerprints = [{ hash: 'a'.repeat(64) }];
      const task = settled(makeTask({ fingerprints }), START);
      clock.advance(100 * DAY_MS);
      const timeBefore = Date.now();
      await store.put(task);
      const finished = await testStore.rows('finished');
      const row = finished.find(({ key }) => key === task.id);
      expect(Number(row?.expires) - timeBefore).toBeGreaterThanOrEqual(300 * DAY_MS);
      expect(Number(row?.expires) - Date.now()).toBeLessThanOrEqual(300 * DAY_MS);
      expect(finished.filter(({ expires }) => expires === undefined)).toEqual([]);
      // The fingerprints of the task's files expire together with the task.
      const [fingerprintRow] = await testStore.rows('fingerprints');
      expect(fingerprintRow?.key).toBe(task.id);
      expect(Math.abs(Number(fingerprintRow?.expires) - Number(row?.expires))).toBeLessThan(5_000);
    });

    it('The store keeps the latest 200 durations of each key, in order', async () => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const durations = Array.from({ length: 205 }, (_, index) => ({
        atLeastMs: index,
        atMostMs: index + 1,
        at: index,
      }));
      const addAll = (store: StoredTasks, added: typeof durations) =>
        Promise.all(added.map((duration) => store.addDuration('durations:imagine', duration)));
      await populateStore(testStore, async (store) => void (await addAll(store, durations.slice(0, 190))));
      const first = await open();
      await addAll(first, durations.slice(190));
      await first.addDuration('', { atLeastMs: 7, atMostMs: 8, at: 9 });
      await first.close();
      const second = await open();
      expect(await second.durations('durations:imagine')).toEqual(durations.slice(5));
      expect(await second.durations('')).toHaveLength(1);
      expect(await second.durations('imagine')).toEqual([]);
    });

    it('Tasks that could not be read again are refused before any write', async () => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const store = await open();
      const invalidTask = { ...makeTask({ text: 'what ann wrote' }), progress: Number.NaN };
      const error = await store.put(invalidTask).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        kind: 'failed',
        message: `Task ${invalidTask.id} cannot be stored: it is invalid at progress.`,
      });
      expect([await testStore.keys('live'), await testStore.keys('index')]).toEqual([[], []]);
    });

    it('The store lets other work run while many tasks are stored one after another', async () => {
      const store = await (await createTestStore()).open();
      let turns = 0;
      let timer = setImmediate(function turn() {
        turns++;
        timer = setImmediate(turn);
      });
      for (let index = 0; index < 20; index++) await store.put(makeTask({ times: { created: START + index } }));
      clearImmediate(timer);
      expect(turns).toBeGreaterThanOrEqual(19);
    });
  }));

it('Stored tasks can be kept in memory only', async () => {
  const { open, file } = createStoreFixture(':memory:');
  const store = await open();
  const task = makeTask();
  await store.put(task);
  expect((await store.live()).map(({ id }) => id)).toEqual([task.id]);
  expect(file).toBe(':memory:');
});

describe('An interaction token', () =>
  onEveryStore((createTestStore) => {
    const tokenIn = async (testStore: TestStore): Promise<number> =>
      (await testStore.rows()).filter(({ text }) => text.includes('a-token-that')).length;

    it('An interaction token is kept while it is valid, and never stored after that', async () => {
      const testStore = await createTestStore();
      const { open, clock } = testStore;
      const store = await open();
      const task = makeTask();
      await store.put(task);
      expect(await tokenIn(testStore)).toBe(1);
      expect((await store.get(task.id))?.route.token).toBeDefined();
      clock.advance(15 * MINUTE_MS);
      expect((await store.get(task.id))?.route.token).toBeUndefined();
      await store.put(task);
      expect(await tokenIn(testStore)).toBe(0);
    });

    it('An expired interaction token is removed from every row once the tasks have been read at startup', async () => {
      const testStore = await createTestStore();
      const { open, clock } = testStore;
      const longLivedTask = makeTask({ route: { tokenExpiresAt: START + 60 * MINUTE_MS } });
      await populateStore(testStore, async (store) => {
        for (let index = 0; index < 450; index++) await store.put(makeTask({ times: { created: START + index } }));
        await store.put(longLivedTask);
      });
      const store = await open();
      clock.advance(15 * MINUTE_MS);
      expect((await store.live()).filter(({ route }) => route.token !== undefined).map(({ id }) => id)).toEqual([
        longLivedTask.id,
      ]);
      expect(await tokenIn(testStore)).toBe(1);
      expect(await store.live()).toHaveLength(451);
    });
  }));
