import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Task } from '../../../src/services/tasks/task.ts';
import type { TaskStore } from '../../../src/services/tasks/task-store.ts';
import { summaryOf } from '../../../src/services/tasks/task-summary.ts';
import { leave, onEveryStore, type Site, type SiteRow } from './sites.ts';
import { makeTask, START, settled } from './stage.ts';

const at = (ms: number) => ({ times: { created: START + ms } });
const members = ['ann', 'bob'];

/** The expected content of every list, derived from the stored tasks. */
async function agrees(store: TaskStore, ids: Iterable<string>): Promise<void> {
  const tasks = await Promise.all(
    [...new Set(ids)]
      .sort()
      .reverse()
      .map((id) => store.get(id)),
  );
  const lines = tasks.filter((task) => task !== undefined).map((task) => JSON.parse(JSON.stringify(summaryOf(task))));
  const of = [...members.map((memberId) => ({ memberId })), { guildId: 'den' }];
  for (const whose of of) {
    const page = await store.page({ of: whose, max: 10_000 });
    const isTheirs = (line: { requesterId: string }) => !('memberId' in whose) || whose.memberId === line.requesterId;
    expect(JSON.parse(JSON.stringify(page.summaries))).toEqual(lines.filter(isTheirs));
  }
}

function left(site: Site, tasks: readonly Task[]): Promise<SiteRow[]> {
  return leave(site, async (store) => {
    for (const task of tasks) await store.put(task);
  });
}

async function putBack(site: Site, rows: readonly SiteRow[]): Promise<void> {
  const known = new Map((await site.rows()).map((row) => [`${row.namespace} ${row.key}`, row.text]));
  const wanted = new Set(rows.map(({ namespace, key }) => `${namespace} ${key}`));
  await site.drop(({ namespace, key }) => !wanted.has(`${namespace} ${key}`));
  await site.write(...rows.filter(({ namespace, key, text }) => known.get(`${namespace} ${key}`) !== text));
}

interface Changes {
  adds?: string[];
  removes?: string[];
}

/**
 * Repeats the work from the same state, with the power failing after no write, one, two …, until the work completes.
 */
async function withEveryCrash(
  site: Site,
  before: readonly Task[],
  work: (store: TaskStore) => Promise<void>,
  { adds = [], removes = [] }: Changes = {},
) {
  const rows = await left(site, before);
  for (let writes = 0; ; writes++) {
    await putBack(site, rows);
    const failing = await site.failing(writes);
    const isThrough = await work(failing).then(
      () => true,
      () => false,
    );
    await failing.close();
    const store = await site.open();
    const live = await store.live();
    await agrees(store, [...adds, ...before.map(({ id }) => id)]);
    for (const { id } of before) if (!removes.includes(id)) expect(await store.get(id)).toBeDefined();
    if (isThrough) for (const id of adds) expect(await store.get(id)).toBeDefined();
    const inLive = await site.keys('live');
    expect(inLive).toEqual(live.map(({ id }) => id).sort());
    expect((await site.keys('finished')).filter((key) => inLive.includes(key))).toEqual([]);
    expect(site.logged).toEqual([]);
    await store.close();
    if (isThrough) return writes;
  }
}

describe('A crash between any two writes', () =>
  onEveryStore((stage) => {
    const full = Array.from({ length: 100 }, (_, index) => settled(makeTask(at(index * 10))));

    it('After a crash between any two writes of the first task, the store is valid', async () => {
      const task = makeTask();
      expect(await withEveryCrash(await stage(), [], (store) => store.put(task), { adds: [task.id] })).toBeGreaterThan(
        4,
      );
    });

    it('After a crash between any two writes of a task that begins a chunk, the store is valid', async () => {
      const task = makeTask(at(5_000));
      expect(
        await withEveryCrash(await stage(), full, (store) => store.put(task), { adds: [task.id] }),
      ).toBeGreaterThan(4);
    });

    it('After a crash between any two writes of a task that splits a chunk in the middle, the store is valid', async () => {
      const task = makeTask(at(445));
      expect(
        await withEveryCrash(await stage(), full, (store) => store.put(task), { adds: [task.id] }),
      ).toBeGreaterThan(6);
    });

    it('After a crash between any two writes of a settlement, the store is valid', async () => {
      const task = makeTask(at(7));
      await withEveryCrash(await stage(), [makeTask(at(6)), task], (store) => store.put(settled(task)));
    });

    it('After a crash between any two writes of a removal, even of the last row of a chunk, the store is valid', async () => {
      const task = makeTask(at(5_000));
      await withEveryCrash(await stage(), [...full, task], (store) => store.remove(task), { removes: [task.id] });
      await withEveryCrash(await stage(), [task], (store) => store.remove(task), { removes: [task.id] });
      await withEveryCrash(await stage(), [settled(task)], (store) => store.remove(settled(task)), {
        removes: [task.id],
      });
    });

    it('A crash between any two writes leaves no fingerprints without their task', async () => {
      const site = await stage();
      const task = makeTask({ ...at(0), fingerprints: [{ hash: 'a'.repeat(64) }] });
      const isOfTask = async (): Promise<void> => {
        const store = await site.open();
        const known = await store.get(task.id);
        await store.close();
        expect((await site.keys('fingerprints')).filter(() => !known?.fingerprints)).toEqual([]);
      };
      const steps: [readonly Task[], (store: TaskStore) => Promise<void>][] = [
        [[task], (store) => store.put(settled(task))],
        [[task], (store) => store.remove(task)],
        [[settled(task)], (store) => store.remove(settled(task))],
      ];
      for (const [before, work] of steps) {
        const rows = await left(site, before);
        for (let writes = 0, isThrough = false; !isThrough; writes++) {
          await putBack(site, rows);
          const failing = await site.failing(writes);
          isThrough = await work(failing).then(
            () => true,
            () => false,
          );
          await failing.close();
          await isOfTask();
        }
      }
      expect(await site.keys('fingerprints')).toEqual([]);
    });

    it('After a crash between any two writes of a change to a finished task, or of a task that is finished from the start, the store is valid', async () => {
      const task = settled(makeTask());
      await withEveryCrash(await stage(), [task], (store) => store.put({ ...task, state: 'cancelled' }));
      await withEveryCrash(await stage(), [], (store) => store.put(task), { adds: [task.id] });
    });

    it('After a crash between any two writes, a row that is being set aside is always in at least one place', async () => {
      for (const writes of [0, 1, 2]) {
        const site = await stage();
        await (await site.open()).close();
        await site.write({ namespace: 'live', key: 'broken', text: 'rubbish' });
        const failing = await site.failing(writes);
        await failing.live().catch(() => undefined);
        await failing.close();
        expect((await site.rows()).filter(({ text }) => text.includes('rubbish'))).not.toEqual([]);
        const store = await site.open();
        expect(await store.live()).toEqual([]);
        expect([await site.keys('live'), (await site.keys('quarantine')).length]).toEqual([[], 1]);
      }
    });
  }));

describe('Any sequence of operations and crashes', () => {
  type Step = { what: 'put' | 'settle' | 'remove' | 'reopen' | 'crash'; which: number };
  const step: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('put', 'put', 'settle', 'settle', 'remove', 'reopen', 'crash'),
    which: fc.nat({ max: 11 }),
  });

  onEveryStore((stage) =>
    it('Any sequence of operations and crashes leaves lists that match the tasks', async () => {
      const site = await stage();
      const before = Array.from({ length: 97 }, (_, index) => settled(makeTask(at(index * 10))));
      const rows = await left(site, before);
      const pool = Array.from({ length: 12 }, (_, index) =>
        makeTask({ ...at((index * 137) % 1_100), requesterId: members[index % 2] ?? 'ann' }),
      );
      const ids = [...before, ...pool].map(({ id }) => id);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          await putBack(site, rows);
          let store = await site.open();
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
                const failing = await site.failing(which % 5);
                await failing.put(settled(task)).catch(() => undefined);
                await failing.close();
              }
              store = await site.open();
              await store.live();
              // An interrupted operation is stored or not; everything else follows from the tasks.
              const stored = await store.get(task.id);
              expect(stored !== undefined || !model.has(task.id)).toBe(true);
              if (stored) model.set(task.id, stored);
            }
          }
          for (const id of ids) expect((await store.get(id))?.times.settled).toBe(model.get(id)?.times.settled);
          await agrees(store, ids);
          await store.close();
        }),
        { numRuns: site.kind === 'sqlite' ? 20 : 5 },
      );
    }),
  );
});
