import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptTasks } from '../../../../src/services/tasks/store/kept-tasks.ts';
import { shelvesOn } from '../../../../src/services/tasks/store/shelves.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { lineOf } from '../../../../src/services/tasks/task-line.ts';
import type { TaskStore } from '../../../../src/services/tasks/task-store.ts';
import { FailingPower } from './failing-power.ts';
import { folder, keysIn, makeTask, START, settled, sql, stage } from './stage.ts';

const at = (ms: number) => ({ times: { created: START + ms } });
const members = ['ann', 'bob'];

/** What every list must show, told by the tasks that are there. */
async function agrees(store: TaskStore, ids: Iterable<string>): Promise<void> {
  const tasks = await Promise.all(
    [...new Set(ids)]
      .sort()
      .reverse()
      .map((id) => store.get(id)),
  );
  const lines = tasks.filter((task) => task !== undefined).map((task) => JSON.parse(JSON.stringify(lineOf(task))));
  const of = [...members.map((memberId) => ({ memberId })), { guildId: 'den' }];
  for (const whose of of) {
    const page = await store.page({ of: whose, most: 10_000 });
    const isTheirs = (line: { requesterId: string }) => !('memberId' in whose) || whose.memberId === line.requesterId;
    expect(JSON.parse(JSON.stringify(page.lines))).toEqual(lines.filter(isTheirs));
  }
}

/** Runs the work on copies of a store, with the power failing after no write, one, two …, until it gets through. */
async function withEveryCrash(
  before: readonly Task[],
  work: (store: TaskStore) => Promise<void>,
  { adds = [], removes = [] }: { adds?: string[]; removes?: string[] } = {},
) {
  const made = stage();
  const first = await made.open();
  for (const task of before) await first.put(task);
  await first.close();
  for (let writes = 0; ; writes++) {
    const { file, clock, log, open, logged } = stage(join(folder(), 'copy.sqlite'));
    copyFileSync(made.file, file);
    const connection = new FailingPower(file, writes);
    const failing = new KeptTasks({ shelves: shelvesOn(connection), clock, log, close: () => connection.close() });
    const isThrough = await work(failing).then(
      () => true,
      () => false,
    );
    await failing.close();
    const store = await open();
    const live = await store.live();
    await agrees(store, [...adds, ...before.map(({ id }) => id)]);
    for (const { id } of before) if (!removes.includes(id)) expect(await store.get(id)).toBeDefined();
    if (isThrough) for (const id of adds) expect(await store.get(id)).toBeDefined();
    expect(keysIn(file, 'live')).toEqual(live.map(({ id }) => id).sort());
    expect(keysIn(file, 'finished').filter((key) => keysIn(file, 'live').includes(key))).toEqual([]);
    expect(logged).toEqual([]);
    await store.close();
    if (isThrough) return writes;
  }
}

describe('a crash between any two writes heals by itself', () => {
  const full = Array.from({ length: 100 }, (_, index) => settled(makeTask(at(index * 10))));

  it('of the first task of all', async () => {
    const task = makeTask();
    expect(await withEveryCrash([], (store) => store.put(task), { adds: [task.id] })).toBeGreaterThan(4);
  });

  it('of a task that begins a chunk', async () => {
    const task = makeTask(at(5_000));
    expect(await withEveryCrash(full, (store) => store.put(task), { adds: [task.id] })).toBeGreaterThan(4);
  });

  it('of a task that splits a chunk in the middle', async () => {
    const task = makeTask(at(445));
    expect(await withEveryCrash(full, (store) => store.put(task), { adds: [task.id] })).toBeGreaterThan(6);
  });

  it('of a settlement', async () => {
    const task = makeTask(at(7));
    await withEveryCrash([makeTask(at(6)), task], (store) => store.put(settled(task)));
  });

  it('of a removal, of the last line of a chunk too', async () => {
    const task = makeTask(at(5_000));
    await withEveryCrash([...full, task], (store) => store.remove(task), { removes: [task.id] });
    await withEveryCrash([task], (store) => store.remove(task), { removes: [task.id] });
    await withEveryCrash([settled(task)], (store) => store.remove(settled(task)), { removes: [task.id] });
  });

  it('of a change to a finished task, and of one that is finished from the first', async () => {
    const task = settled(makeTask());
    await withEveryCrash([task], (store) => store.put({ ...task, state: 'cancelled' }));
    await withEveryCrash([], (store) => store.put(task), { adds: [task.id] });
  });

  it('of a row that is set aside: it is never nowhere', async () => {
    for (const writes of [0, 1, 2]) {
      const { file, clock, log, open } = stage();
      await (await open()).close();
      sql(file, "INSERT INTO atelier (key, value, namespace) VALUES ('broken', 'rubbish', 'live')");
      const connection = new FailingPower(file, writes);
      const failing = new KeptTasks({ shelves: shelvesOn(connection), clock, log, close: () => connection.close() });
      await failing.live().catch(() => undefined);
      await failing.close();
      expect(sql(file, "SELECT key FROM atelier WHERE value LIKE '%rubbish%'")).not.toEqual([]);
      const store = await open();
      expect(await store.live()).toEqual([]);
      expect([keysIn(file, 'live'), keysIn(file, 'quarantine').length]).toEqual([[], 1]);
    }
  });
});

describe('whatever happens in whatever order', () => {
  type Step = { what: 'put' | 'settle' | 'remove' | 'reopen' | 'crash'; which: number };
  const step: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('put', 'put', 'settle', 'settle', 'remove', 'reopen', 'crash'),
    which: fc.nat({ max: 11 }),
  });

  it('lists show what the tasks say', async () => {
    const made = stage();
    const first = await made.open();
    const before = Array.from({ length: 97 }, (_, index) => settled(makeTask(at(index * 10))));
    for (const task of before) await first.put(task);
    await first.close();
    const pool = Array.from({ length: 12 }, (_, index) =>
      makeTask({ ...at((index * 137) % 1_100), requesterId: members[index % 2] ?? 'ann' }),
    );
    const ids = [...before, ...pool].map(({ id }) => id);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { file, clock, log, open } = stage(join(folder(), 'copy.sqlite'));
        copyFileSync(made.file, file);
        let store = await open();
        const model = new Map<string, Task>(before.map((task) => [task.id, task]));
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
              const connection = new FailingPower(file, which % 5);
              const close = () => connection.close();
              const failing = new KeptTasks({ shelves: shelvesOn(connection), clock, log, close });
              await failing.put(settled(task)).catch(() => undefined);
              await failing.close();
            }
            store = await open();
            await store.live();
            // What was cut off is there or it is not; the rest follows from the tasks.
            const stored = await store.get(task.id);
            expect(stored !== undefined || !model.has(task.id)).toBe(true);
            if (stored) model.set(task.id, stored);
          }
        }
        for (const id of ids) expect((await store.get(id))?.times.settled).toBe(model.get(id)?.times.settled);
        for (const id of ids) expect((await store.get(id)) !== undefined).toBe(model.has(id));
        await agrees(store, ids);
        await store.close();
      }),
      { numRuns: 20 },
    );
  });
});
