import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import type { TaskStore } from '../../../src/services/orders/task-store.ts';
import { openNamespaces } from '../../../src/services/store/namespaces.ts';
import { SqliteBackend, sqliteFailure } from '../../../src/services/store/rows/sqlite.ts';
import { openStoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { StoreError, type StoreErrorKind } from '../../../src/services/tasks/store-error.ts';
import { TASK_VERSION } from '../../../src/services/tasks/task.ts';
import { HOLD_WRITE_PROGRAM, startChild } from './child.ts';
import { onEveryStore } from './sites.ts';
import { createStoreFixture, makeTask, START, type StoreFixture, settled, sql } from './store-fixture.ts';

const duration = { atLeastMs: 1, atMostMs: 2, at: START };
const task = makeTask();

const allWrites = (store: TaskStore): Promise<unknown>[] => [
  store.put(makeTask()),
  store.put(settled(makeTask())),
  store.addDuration('imagine', duration),
];

const allReads = (store: TaskStore): Promise<unknown>[] => [
  store.get(task.id),
  store.live(),
  store.page({ of: { memberId: 'ann' }, max: 5 }),
  store.durations('imagine'),
];

/** Expects each promise to reject with a `StoreError` of this kind whose message contains the text. */
async function expectAllToFail(operations: Promise<unknown>[], kind: StoreErrorKind, text: string): Promise<void> {
  for (const outcome of await Promise.allSettled(operations)) {
    if (outcome.status === 'fulfilled') throw new Error('The operation did not fail.');
    expect(outcome.reason).toBeInstanceOf(StoreError);
    expect(outcome.reason).toMatchObject({ kind });
    expect((outcome.reason as Error).message).toContain(text);
  }
}

async function fillStore(setup: StoreFixture, count = 300): Promise<void> {
  const store = await setup.open();
  for (let index = 0; index < count; index++) await store.put(settled(makeTask({ times: { created: START + index } })));
  await store.put(task);
  await store.close();
}

describe('A failing store', () => {
  it('A failing store reports a full disk, and keeps its rows', async () => {
    const { file, clock, log, open } = createStoreFixture();
    const connection = new SqliteBackend(file);
    const store = openStoredTasks({
      specs: kindSpecs,
      namespaces: openNamespaces(connection),
      clock,
      log,
      close: () => connection.close(),
    });
    await store.put(task);
    const [size] = connection.rows('PRAGMA page_count');
    connection.rows(`PRAGMA max_page_count = ${Number(size?.page_count)}`);
    const longTask = makeTask({ text: 'x'.repeat(20_000) });
    await expectAllToFail([store.put(longTask), store.put(settled(longTask))], 'full', 'is full');
    expect((await store.get(task.id))?.id).toBe(task.id);
    await store.close();
    expect((await (await open()).live()).map(({ id }) => id)).toEqual([task.id]);
  });

  it.each([
    [4_874, 'full', /is full\. Free some space/],
    [778, 'failed', /cannot be read or written\. Check its space/],
  ])('An error %i of the disk is reported as what it is, and what to do: %s', (errcode, kind, message) => {
    const error = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode });
    expect(sqliteFailure(error, 'tasks.sqlite')).toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  it('A failing store reports that another program has locked the database, and works again afterwards', async () => {
    const { file, open } = createStoreFixture();
    const store = await open({ busyTimeoutMs: 50 });
    await store.put(task);
    const other = await startChild(HOLD_WRITE_PROGRAM, file);
    await expectAllToFail([...allWrites(store), store.remove(task)], 'locked', 'another program');
    expect((await store.get(task.id))?.id).toBe(task.id);
    await other.kill();
    await store.put(settled(task));
    expect((await store.page({ of: { memberId: 'ann' }, max: 5 })).summaries.map(({ id }) => id)).toEqual([task.id]);
  });

  it('A write that waits for another program blocks neither reads nor the event loop, and succeeds once the database is unlocked', async () => {
    const { file, open } = createStoreFixture();
    const store = await open({ busyTimeoutMs: 600_000 });
    const bystander = makeTask();
    await store.put(bystander);
    const other = await startChild(HOLD_WRITE_PROGRAM, file);
    const writes = Promise.all([store.put(task), store.addDuration('imagine', duration)]);
    expect((await store.live()).map(({ id }) => id)).toEqual([bystander.id]);
    await other.kill();
    await writes;
    expect([(await store.get(task.id))?.id, await store.durations('imagine')]).toEqual([task.id, [duration]]);
  });

  it('A failing store reports that another program has locked the database while it opens', async () => {
    const setup = createStoreFixture();
    await fillStore(setup, 1);
    sql(setup.file, 'PRAGMA journal_mode = DELETE');
    const other = await startChild(HOLD_WRITE_PROGRAM, setup.file);
    await expectAllToFail([setup.open({ busyTimeoutMs: 50 })], 'locked', 'another program');
    await other.kill();
    await (await setup.open()).close();
  });

  it('A failing store reports that it is not allowed to write', async () => {
    const { file, clock, log, open } = createStoreFixture();
    await (await open()).close();
    const connection = new SqliteBackend(file, { readOnly: true });
    const store = openStoredTasks({
      specs: kindSpecs,
      namespaces: openNamespaces(connection),
      clock,
      log,
      close: () => connection.close(),
    });
    await expectAllToFail(allWrites(store), 'failed', 'cannot be written');
    await store.close();
  });

  it('A failing store reports that the file is not a database, and leaves it unchanged', async () => {
    const { file, open } = createStoreFixture();
    writeFileSync(file, 'These are my notes. '.repeat(500));
    await expectAllToFail([open()], 'corrupt', 'npm run restore -- <file>');
    expect(readFileSync(file, 'utf8')).toBe('These are my notes. '.repeat(500));
  });

  it('A failing store reports that the file was truncated', async () => {
    const setup = createStoreFixture();
    await fillStore(setup);
    truncateSync(setup.file, 40_000);
    const operations = setup.open().then((store) => store.page({ of: { memberId: 'ann' }, max: 500 }));
    await expectAllToFail([operations], 'corrupt', 'damaged');
  });

  it('A failing store reports overwritten pages of the file, even in the middle of a listing', async () => {
    const setup = createStoreFixture();
    await fillStore(setup);
    const bytes = readFileSync(setup.file);
    writeFileSync(setup.file, bytes.fill(0x5a, 8_192));
    const store = await setup.open().catch((error: unknown) => error);
    if (store instanceof Error) expect(store).toMatchObject({ kind: 'corrupt' });
    else await expectAllToFail(allReads(store as TaskStore), 'corrupt', 'damaged');
  });

  it('A failing store reports that it is closed', async () => {
    const { open, file } = createStoreFixture();
    const store = await open();
    await store.close();
    await store.close();
    await expectAllToFail([...allReads(store), ...allWrites(store), store.remove(task)], 'failed', `${file} is closed`);
  });
});

describe('Rows that cannot be read', () =>
  onEveryStore((createTestStore) => {
    const secret = 'what-ann-wrote';
    const brokenRows: [string, string][] = [
      ['a truncated text', '{"value":{"version":1,"id":"what-ann-wrote'],
      ['a bare word', '"what-ann-wrote"'],
      ['no value at all', '{"something":"what-ann-wrote"}'],
      ['a value of another kind', '{"value":["what-ann-wrote"]}'],
      ['null', '{"value":null}'],
      ['a task without its parts', '{"value":{"version":1,"id":"broken","text":"what-ann-wrote"}}'],
      ['a task of an unknown version', '{"value":{"version":0,"id":"broken","text":"what-ann-wrote"}}'],
      ['a task under the key of another', JSON.stringify({ value: { ...task, text: secret } })],
    ];

    it.each(brokenRows)(
      'Rows that cannot be read are set aside at start, and do not affect the others: %s',
      async (_name, text) => {
        const testStore = await createTestStore();
        const { open, logged } = testStore;
        await (await open()).close();
        const store = await open();
        for (const index of [1, 2, 3]) await store.put(makeTask({ times: { created: START + index } }));
        await testStore.write({ namespace: 'live', key: 'broken', text });
        expect(await store.live()).toHaveLength(3);
        expect(await testStore.keys('live')).toHaveLength(3);
        const [row] = await testStore.rows('quarantine');
        const { from, key, text: keptText } = JSON.parse(row?.text ?? '').value;
        expect([from, key]).toEqual(['live', 'broken']);
        if (text.includes(secret)) expect(keptText).toContain(secret);
        expect(logged).toHaveLength(1);
        expect(logged[0]).not.toContain(secret);
        expect(await store.live()).toHaveLength(3);
        expect(logged).toHaveLength(1);
      },
    );

    it('Rows that cannot be read are set aside when they are requested, and the task can be put again', async () => {
      const testStore = await createTestStore();
      const { open, logged } = testStore;
      const store = await open();
      const finishedTask = settled(makeTask());
      await store.put(finishedTask);
      await testStore.rewrite(({ namespace }) => (namespace === 'finished' ? 'rubbish' : undefined));
      const results = await Promise.all([store.get(finishedTask.id), store.get(finishedTask.id)]);
      expect(results).toEqual([undefined, undefined]);
      expect(logged).toHaveLength(1);
      await store.put(finishedTask);
      expect((await store.get(finishedTask.id))?.id).toBe(finishedTask.id);
    });

    it('Rows that cannot be read are set aside in the lists and durations, and new entries are kept', async () => {
      const testStore = await createTestStore();
      const { open, logged } = testStore;
      const store = await open();
      await store.put(makeTask());
      await store.addDuration('imagine', duration);
      await testStore.rewrite(({ namespace }) => (['index', 'durations'].includes(namespace) ? 'rubbish' : undefined));
      expect((await store.page({ of: { memberId: 'ann' }, max: 5 })).summaries).toEqual([]);
      expect(await store.durations('imagine')).toEqual([]);
      expect(logged).toHaveLength(2);
      const nextTask = makeTask({ times: { created: START + 1 } });
      await store.put(nextTask);
      await store.addDuration('imagine', duration);
      expect((await store.page({ of: { memberId: 'ann' }, max: 5 })).summaries.map(({ id }) => id)).toEqual([
        nextTask.id,
      ]);
      expect(await store.durations('imagine')).toEqual([duration]);
    });

    it('Rows that cannot be read are refused and left in place when a newer version wrote them', async () => {
      const testStore = await createTestStore();
      const { open } = testStore;
      const store = await open();
      await store.put(task);
      await testStore.rewrite(({ namespace, text }) =>
        namespace === 'live' ? text.replace(`"version":${TASK_VERSION}`, `"version":${TASK_VERSION + 1}`) : undefined,
      );
      await expectAllToFail([store.live(), store.get(task.id)], 'newer', 'newer Atelier');
      expect(await testStore.keys('live')).toEqual([task.id]);
      expect(await testStore.keys('quarantine')).toEqual([]);
    });
  }));
