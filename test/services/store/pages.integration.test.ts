import { describe, expect, it } from 'vitest';
import type { PageQuery, TaskStore } from '../../../src/services/orders/task-store.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { onEveryStore, populateStore, type TestStore } from './sites.ts';
import { DAY_MS, createStoreFixture as fileFixture, makeTask, START, settled, sql } from './store-fixture.ts';

type PageFilter = Omit<PageQuery, 'of' | 'max'>;

/** The ids on all pages, and the number of pages. */
async function readAllPages(store: TaskStore, owner: PageQuery['of'], max: number, filter: PageFilter = {}) {
  const ids: string[] = [];
  let pages = 0;
  let next: string | undefined;
  do {
    const page = await store.page({ of: owner, max, ...filter, before: next });
    ids.push(...page.summaries.map(({ id }) => id));
    next = page.next;
    pages++;
  } while (next !== undefined);
  return { ids, pages };
}

async function openWith(testStore: TestStore, tasks: readonly Task[]): Promise<TaskStore> {
  await populateStore(testStore, async (store) => {
    for (const task of tasks) await store.put(task);
  });
  return testStore.open();
}

const ann = { memberId: 'ann' };
const createdAt = (ms: number) => ({ times: { created: START + ms } });

describe('Pages of tasks', () =>
  onEveryStore((createTestStore) => {
    it('Pages of tasks list all tasks, the newest first, across any number of reads', async () => {
      const tasks = Array.from({ length: 250 }, (_, index) => makeTask(createdAt(index)));
      const storedTasks = tasks.map((task, index) => (index % 3 === 0 ? task : settled(task)));
      const store = await openWith(await createTestStore(), storedTasks);
      const ids = tasks.map(({ id }) => id).reverse();
      expect(await readAllPages(store, ann, 10)).toEqual({ ids, pages: 25 });
      expect(await readAllPages(store, ann, 7)).toEqual({ ids, pages: 36 });
      expect(await readAllPages(store, { guildId: 'den' }, 1_000)).toEqual({ ids, pages: 1 });
      expect(await readAllPages(store, { guildId: 'elsewhere' }, 10)).toEqual({ ids: [], pages: 1 });
      expect((await store.page({ of: ann, max: 2, before: ids[100] })).summaries.map(({ id }) => id)).toEqual(
        ids.slice(101, 103),
      );
    });

    it('Pages of tasks are in order even if the clock was set back', async () => {
      const times = Array.from({ length: 240 }, (_, index) => (index % 2 === 0 ? 10_000 + index : 500 - index));
      const tasks = times.map((ms) => makeTask(createdAt(ms)));
      const store = await openWith(await createTestStore(), tasks);
      const ids = tasks
        .map(({ id }) => id)
        .sort()
        .reverse();
      expect((await readAllPages(store, ann, 25)).ids).toEqual(ids);
    });

    it('Pages of tasks contain all tasks of many concurrent puts', async () => {
      const store = await (await createTestStore()).open();
      const tasks = Array.from({ length: 120 }, (_, index) =>
        makeTask({ ...createdAt(index), requesterId: `m${index % 3}` }),
      );
      await Promise.all(tasks.map((task) => store.put(task)));
      await Promise.all(tasks.map((task) => store.put(settled(task))));
      expect((await readAllPages(store, { guildId: 'den' }, 50)).ids).toHaveLength(120);
      for (const member of [0, 1, 2]) {
        const expected = tasks.filter((_, index) => index % 3 === member).map(({ id }) => id);
        expect((await readAllPages(store, { memberId: `m${member}` }, 50)).ids).toEqual(expected.reverse());
      }
    });

    it('Pages of tasks contain only the requested tasks', async () => {
      const store = await (await createTestStore()).open();
      const fox = makeTask({ ...createdAt(1), request: { prompt: 'A Red  fox\nin snow' } });
      const owl = settled(makeTask({ ...createdAt(2), request: { prompt: 'red owl' }, route: { isPrivate: true } }));
      const failedTask = settled(makeTask({ ...createdAt(3), request: { prompt: '' }, requesterId: 'bob' }));
      for (const task of [fox, owl, { ...failedTask, state: 'failed' as const }]) await store.put(task);
      const den = { guildId: 'den' };
      const matchingIds = async (filter: PageFilter) => (await readAllPages(store, den, 10, filter)).ids;
      expect(await matchingIds({})).toEqual([failedTask.id, owl.id, fox.id]);
      expect(await matchingIds({ words: 'RED' })).toEqual([owl.id, fox.id]);
      expect(await matchingIds({ words: ' snow  red ' })).toEqual([fox.id]);
      expect(await matchingIds({ words: 'red cat' })).toEqual([]);
      expect(await matchingIds({ states: ['failed', 'running'] })).toEqual([failedTask.id, fox.id]);
      expect(await matchingIds({ states: [] })).toEqual([]);
      expect(await matchingIds({ withoutPrivate: true })).toEqual([failedTask.id, fox.id]);
      expect(await matchingIds({ kinds: ['imagine', 'action'], words: 'owl' })).toEqual([owl.id]);
      expect((await readAllPages(store, { memberId: 'bob' }, 10)).ids).toEqual([failedTask.id]);
    });

    it('Pages of tasks show the current state of an unsettled task', async () => {
      const store = await (await createTestStore()).open();
      const task = makeTask({ state: 'submitting' });
      await store.put(task);
      await store.put({ ...task, state: 'ready' });
      const { summaries } = await store.page({ of: ann, max: 5, states: ['ready'] });
      expect(summaries.map(({ state }) => state)).toEqual(['ready']);
      expect((await store.page({ of: ann, max: 5, states: ['submitting'] })).summaries).toEqual([]);
    });

    it('Pages of tasks omit a row whose task was never written', async () => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const store = await open();
      const [keptTask, lostTask] = [makeTask(createdAt(1)), makeTask(createdAt(2))];
      await store.put(keptTask);
      await store.put(lostTask);
      await testStore.drop(({ key }) => key === lostTask.id);
      expect(await readAllPages(store, ann, 1)).toEqual({ ids: [keptTask.id], pages: 1 });
    });

    it('Pages of tasks omit tasks that have expired', async () => {
      const testStore = await createTestStore();
      const { clock } = testStore;
      const tasks = Array.from({ length: 200 }, (_, index) => settled(makeTask(createdAt(index)), START + index));
      const store = await openWith(testStore, tasks);
      clock.advance(400 * DAY_MS + 150);
      await store.put(makeTask({ times: { created: clock.now() } }));
      expect((await readAllPages(store, ann, 500)).ids).toHaveLength(1 + 49);
    });
  }));

it('Lists add few writes to a put: two rows for a new task, none while it runs, two when it is settled', async () => {
  const { open, file } = fileFixture();
  const store = await open();
  await store.put(makeTask(createdAt(0)));
  const task = makeTask(createdAt(1));
  const countWrites = async (work: () => Promise<void>): Promise<number> => {
    sql(file, 'DROP TRIGGER IF EXISTS counting');
    sql(file, 'CREATE TABLE IF NOT EXISTS counted (key TEXT)');
    sql(file, 'DELETE FROM counted');
    for (const event of ['INSERT', 'UPDATE'])
      sql(
        file,
        `CREATE TRIGGER IF NOT EXISTS counting_${event} AFTER ${event} ON atelier WHEN new.namespace = 'index'
         BEGIN INSERT INTO counted VALUES (new.key); END`,
      );
    await work();
    return sql(file, 'SELECT key FROM counted').length;
  };
  expect(await countWrites(() => store.put(task))).toBe(2);
  expect(await countWrites(() => store.put({ ...task, progress: 50 }))).toBe(0);
  expect(await countWrites(() => store.put(settled(task)))).toBe(2);
  expect(await countWrites(() => store.put(settled(task)))).toBe(0);
});
