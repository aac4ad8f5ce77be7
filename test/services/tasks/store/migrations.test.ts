import { describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/services/tasks/store/index.ts';
import { taskMigrations, upgraded } from '../../../../src/services/tasks/store/migrations.ts';
import { TASK_VERSION } from '../../../../src/services/tasks/task.ts';
import { keysIn, makeTask, settled, sql, stage } from './stage.ts';

describe('a record of an older version', () => {
  it('goes up one version at a time', () => {
    const steps = new Map([
      [1, (record: Record<string, unknown>) => ({ ...record, seen: [1] })],
      [2, (record: Record<string, unknown>) => ({ ...record, seen: [...(record.seen as number[]), 2] })],
    ]);
    expect(upgraded({ version: 1 }, 3, steps)).toEqual({ version: 3, seen: [1, 2] });
    expect(upgraded({ version: 3 }, 3, steps)).toEqual({ version: 3 });
  });

  it.each([{}, { version: '1' }, { version: 0 }, { version: Number.NaN }])('has no way up from %j', (record) => {
    expect(upgraded(record, 2, new Map([[1, (same) => same]]))).toBeUndefined();
  });

  it('is a task like any other in the store, and is written in the new version with the next change', async () => {
    const { file, clock, log } = stage();
    const polls = (record: Record<string, unknown>) => ({ ...record, polls: 7 });
    const migrations = new Map([[TASK_VERSION - 1, polls]]);
    const store = await openStore({ url: `sqlite://${file}`, scheme: 'sqlite' }, { log, clock, migrations });
    const [running, done] = [makeTask(), settled(makeTask())];
    for (const task of [running, done]) await store.put(task);
    const older = `"version":${TASK_VERSION - 1}`;
    sql(file, `UPDATE atelier SET value = replace(value, '"version":${TASK_VERSION}', '${older}')`);
    expect((await store.live()).map(({ polls }) => polls)).toEqual([7]);
    expect((await store.get(done.id))?.polls).toBe(7);
    for (const task of [running, done]) await store.put((await store.get(task.id)) ?? task);
    expect(sql(file, 'SELECT key FROM atelier WHERE value LIKE ?', `%${older}%`)).toEqual([]);
    expect(keysIn(file, 'quarantine')).toEqual([]);
    await store.close();
  });

  it('that a migration stumbles over is set aside, and stops none of the others', async () => {
    const { file, clock, log } = stage();
    const stumbling = (record: Record<string, unknown>) => {
      if (record.text === 'odd') throw new TypeError('odd');
      return record;
    };
    const migrations = new Map([[TASK_VERSION - 1, stumbling]]);
    const store = await openStore({ url: `sqlite://${file}`, scheme: 'sqlite' }, { log, clock, migrations });
    for (const text of ['odd', 'even']) await store.put(makeTask({ text }));
    sql(
      file,
      `UPDATE atelier SET value = replace(value, '"version":${TASK_VERSION}', '"version":${TASK_VERSION - 1}')`,
    );
    expect((await store.live()).map(({ text }) => text)).toEqual(['even']);
    expect(keysIn(file, 'quarantine')).toHaveLength(1);
    await store.close();
  });

  it('has a migration for every version there was', () => {
    expect([...taskMigrations.keys()]).toEqual(Array.from({ length: TASK_VERSION - 1 }, (_, index) => index + 1));
  });
});
