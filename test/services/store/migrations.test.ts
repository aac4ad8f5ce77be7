import { describe, expect, it } from 'vitest';
import { taskMigrations, upgradeRecord } from '../../../src/services/store/task-rows.ts';
import { TASK_VERSION } from '../../../src/services/tasks/task.ts';
import { onEveryStore, type Site } from './sites.ts';
import { makeTask, settled } from './stage.ts';

const older = `"version":${TASK_VERSION - 1}`;

/** Records as an earlier version of the bot left them. */
const age = (site: Site): Promise<void> => site.rewrite(({ text }) => text.replace(`"version":${TASK_VERSION}`, older));

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

  onEveryStore((stage) => {
    it('A record of an older version is read like any other task, and is written in the new version with the next change', async () => {
      const site = await stage();
      const polls = (record: Record<string, unknown>) => ({ ...record, polls: 7 });
      const migrations = new Map([[TASK_VERSION - 1, polls]]);
      const store = await site.open({ migrations });
      const [running, done] = [makeTask(), settled(makeTask())];
      for (const task of [running, done]) await store.put(task);
      await age(site);
      expect((await store.live()).map(({ polls }) => polls)).toEqual([7]);
      expect((await store.get(done.id))?.polls).toBe(7);
      for (const task of [running, done]) await store.put((await store.get(task.id)) ?? task);
      expect((await site.rows()).filter(({ text }) => text.includes(older))).toEqual([]);
      expect(await site.keys('quarantine')).toEqual([]);
      await store.close();
    });

    it('A record of an older version is set aside when a migration fails, and does not affect the others', async () => {
      const site = await stage();
      const stumbling = (record: Record<string, unknown>) => {
        if (record.text === 'odd') throw new TypeError('odd');
        return record;
      };
      const migrations = new Map([[TASK_VERSION - 1, stumbling]]);
      const store = await site.open({ migrations });
      for (const text of ['odd', 'even']) await store.put(makeTask({ text }));
      await age(site);
      expect((await store.live()).map(({ text }) => text)).toEqual(['even']);
      expect(await site.keys('quarantine')).toHaveLength(1);
      await store.close();
    });
  });

  it('There is a migration for the records of every earlier version', () => {
    expect([...taskMigrations.keys()]).toEqual(Array.from({ length: TASK_VERSION - 1 }, (_, index) => index + 1));
  });
});
