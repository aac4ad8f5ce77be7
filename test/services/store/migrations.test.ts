import { describe, expect, it } from 'vitest';
import { taskMigrations, upgradeRecord } from '../../../src/services/store/rows/task-rows.ts';
import { TASK_VERSION } from '../../../src/services/tasks/task.ts';
import { onEveryStore, type TestStore } from './sites.ts';
import { makeTask, settled } from './store-fixture.ts';

const OLDER_VERSION = `"version":${TASK_VERSION - 1}`;

/** Rewrites the records as an earlier version of the bot would have left them. */
const rewriteAsOlder = (testStore: TestStore): Promise<void> =>
  testStore.rewrite(({ text }) => text.replace(`"version":${TASK_VERSION}`, OLDER_VERSION));

describe('A record of an older version', () => {
  it('A record of an older version is upgraded one version at a time', () => {
    const steps = new Map([
      [1, (record: Record<string, unknown>) => ({ ...record, seen: [1] })],
      [2, (record: Record<string, unknown>) => ({ ...record, seen: [...(record.seen as number[]), 2] })],
    ]);
    expect(upgradeRecord({ version: 1 }, 3, steps)).toEqual({ version: 3, seen: [1, 2] });
    expect(upgradeRecord({ version: 3 }, 3, steps)).toEqual({ version: 3 });
  });

  it.each([{}, { version: '1' }, { version: 0 }, { version: Number.NaN }])(
    'A record of an older version has no upgrade from %j',
    (record) => {
      expect(upgradeRecord(record, 2, new Map([[1, (same) => same]]))).toBeUndefined();
    },
  );

  onEveryStore((createTestStore) => {
    it('A record of an older version is read like any other task, and is written in the new version with the next change', async () => {
      const testStore = await createTestStore();
      const setPolls = (record: Record<string, unknown>) => ({ ...record, polls: 7 });
      const migrations = new Map([[TASK_VERSION - 1, setPolls]]);
      const store = await testStore.open({ migrations });
      const [runningTask, finishedTask] = [makeTask(), settled(makeTask())];
      for (const task of [runningTask, finishedTask]) await store.put(task);
      await rewriteAsOlder(testStore);
      expect((await store.live()).map(({ polls }) => polls)).toEqual([7]);
      expect((await store.get(finishedTask.id))?.polls).toBe(7);
      for (const task of [runningTask, finishedTask]) await store.put((await store.get(task.id)) ?? task);
      expect((await testStore.rows()).filter(({ text }) => text.includes(OLDER_VERSION))).toEqual([]);
      expect(await testStore.keys('quarantine')).toEqual([]);
      await store.close();
    });

    it('A record of an older version is set aside when a migration fails, and does not affect the others', async () => {
      const testStore = await createTestStore();
      const failingMigration = (record: Record<string, unknown>) => {
        if (record.text === 'odd') throw new TypeError('odd');
        return record;
      };
      const migrations = new Map([[TASK_VERSION - 1, failingMigration]]);
      const store = await testStore.open({ migrations });
      for (const text of ['odd', 'even']) await store.put(makeTask({ text }));
      await rewriteAsOlder(testStore);
      expect((await store.live()).map(({ text }) => text)).toEqual(['even']);
      expect(await testStore.keys('quarantine')).toHaveLength(1);
      await store.close();
    });
  });

  it('There is a migration for the records of every earlier version', () => {
    expect([...taskMigrations.keys()]).toEqual(Array.from({ length: TASK_VERSION - 1 }, (_, index) => index + 1));
  });
});
