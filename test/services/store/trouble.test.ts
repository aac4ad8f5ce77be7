import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { StoreError, type StoreErrorKind } from '../../../src/services/store/index.ts';
import { openNamespaces } from '../../../src/services/store/namespaces.ts';
import { SqliteBackend } from '../../../src/services/store/sqlite.ts';
import { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { TASK_VERSION } from '../../../src/services/tasks/task.ts';
import type { TaskStore } from '../../../src/services/tasks/task-store.ts';
import { child, holdsWrite } from './child.ts';
import { onEveryStore } from './sites.ts';
import { makeTask, START, type Stage, settled, sql, stage } from './stage.ts';

const duration = { atLeastMs: 1, atMostMs: 2, at: START };
const task = makeTask();

const writes = (store: TaskStore): Promise<unknown>[] => [
  store.put(makeTask()),
  store.put(settled(makeTask())),
  store.addDuration('imagine', duration),
];

const reads = (store: TaskStore): Promise<unknown>[] => [
  store.get(task.id),
  store.live(),
  store.page({ of: { memberId: 'ann' }, max: 5 }),
  store.durations('imagine'),
];

/** Expects that each of them throws a `StoreError` of this kind with its cause, and that none resolves. */
async function allThrow(works: Promise<unknown>[], kind: StoreErrorKind, text: string): Promise<void> {
  for (const outcome of await Promise.allSettled(works)) {
    if (outcome.status === 'fulfilled') throw new Error('did not fail');
    expect(outcome.reason).toBeInstanceOf(StoreError);
    expect(outcome.reason).toMatchObject({ kind });
    expect((outcome.reason as Error).message).toContain(text);
  }
}

async function filled(made: Stage, count = 300): Promise<void> {
  const store = await made.open();
  for (let at = 0; at < count; at++) await store.put(settled(makeTask({ times: { created: START + at } })));
  await store.put(task);
  await store.close();
}

describe('A failing store', () => {
  it('A failing store reports a full disk, and keeps its rows', async () => {
    const { file, clock, log, open } = stage();
    const connection = new SqliteBackend(file);
    const store = new StoredTasks({
      specs: kindSpecs,
      namespaces: openNamespaces(connection),
      clock,
      log,
      close: () => connection.close(),
    });
    await store.put(task);
    const [size] = connection.rows('PRAGMA page_count');
    connection.rows(`PRAGMA max_page_count = ${Number(size?.page_count)}`);
    const long = makeTask({ text: 'x'.repeat(20_000) });
    await allThrow([store.put(long), store.put(settled(long))], 'full', 'is full');
    expect((await store.get(task.id))?.id).toBe(task.id);
    await store.close();
    expect((await (await open()).live()).map(({ id }) => id)).toEqual([task.id]);
  });

  it('A failing store reports that another program has locked the database, and works again afterwards', async () => {
    const { file, open } = stage();
    const store = await open({ busyTimeoutMs: 50 });
    await store.put(task);
    const other = await child(holdsWrite, file);
    await allThrow([...writes(store), store.remove(task)], 'locked', 'another program');
    expect((await store.get(task.id))?.id).toBe(task.id);
    await other.kill();
    await store.put(settled(task));
    expect((await store.page({ of: { memberId: 'ann' }, max: 5 })).summaries.map(({ id }) => id)).toEqual([task.id]);
  });

  it('A failing store reports that another program has locked the database while it opens', async () => {
    const made = stage();
    await filled(made, 1);
    sql(made.file, 'PRAGMA journal_mode = DELETE');
    const other = await child(holdsWrite, made.file);
    await allThrow([made.open({ busyTimeoutMs: 50 })], 'locked', 'another program');
    await other.kill();
    await (await made.open()).close();
  });

  it('A failing store reports that it is not allowed to write', async () => {
    const { file, clock, log, open } = stage();
    await (await open()).close();
    const connection = new SqliteBackend(file, { readOnly: true });
    const store = new StoredTasks({
      specs: kindSpecs,
      namespaces: openNamespaces(connection),
      clock,
      log,
      close: () => connection.close(),
    });
    await allThrow(writes(store), 'failed', 'cannot be written');
    await store.close();
  });

  it('A failing store reports that the file is not a database, and leaves it unchanged', async () => {
    const { file, open } = stage();
    writeFileSync(file, 'These are my notes. '.repeat(500));
    await allThrow([open()], 'corrupt', 'damaged or not a database');
    expect(readFileSync(file, 'utf8')).toBe('These are my notes. '.repeat(500));
  });

  it('A failing store reports that the file was truncated', async () => {
    const made = stage();
    await filled(made);
    truncateSync(made.file, 40_000);
    const works = made.open().then((store) => store.page({ of: { memberId: 'ann' }, max: 500 }));
    await allThrow([works], 'corrupt', 'damaged');
  });

  it('A failing store reports overwritten pages of the file, even in the middle of a listing', async () => {
    const made = stage();
    await filled(made);
    const bytes = readFileSync(made.file);
    writeFileSync(made.file, bytes.fill(0x5a, 8_192));
    const store = await made.open().catch((error: unknown) => error);
    if (store instanceof Error) expect(store).toMatchObject({ kind: 'corrupt' });
    else await allThrow(reads(store as TaskStore), 'corrupt', 'damaged');
  });

  it('A failing store reports that it is closed', async () => {
    const { open, file } = stage();
    const store = await open();
    await store.close();
    await store.close();
    await allThrow([...reads(store), ...writes(store), store.remove(task)], 'failed', `${file} is closed`);
  });
});

describe('Rows that cannot be read', () =>
  onEveryStore((stage) => {
    const secret = 'what-ann-wrote';
    const broken: [string, string][] = [
      ['half of its text', '{"value":{"version":1,"id":"what-ann-wrote'],
      ['a bare word', '"what-ann-wrote"'],
      ['no value at all', '{"something":"what-ann-wrote"}'],
      ['a value of another kind', '{"value":["what-ann-wrote"]}'],
      ['null', '{"value":null}'],
      ['a task without its parts', '{"value":{"version":1,"id":"broken","text":"what-ann-wrote"}}'],
      ['a task of an unknown version', '{"value":{"version":0,"id":"broken","text":"what-ann-wrote"}}'],
      ['another task than its key says', JSON.stringify({ value: { ...task, text: secret } })],
    ];

    it.each(broken)(
      'Rows that cannot be read are set aside at start, and stop none of the others: %s',
      async (_name, text) => {
        const site = await stage();
        const { open, logged } = site;
        await (await open()).close();
        const store = await open();
        for (const at of [1, 2, 3]) await store.put(makeTask({ times: { created: START + at } }));
        await site.write({ namespace: 'live', key: 'broken', text });
        expect(await store.live()).toHaveLength(3);
        expect(await site.keys('live')).toHaveLength(3);
        const [row] = await site.rows('quarantine');
        const { from, key, text: kept } = JSON.parse(row?.text ?? '').value;
        expect([from, key]).toEqual(['live', 'broken']);
        if (text.includes(secret)) expect(kept).toContain(secret);
        expect(logged).toHaveLength(1);
        expect(logged[0]).not.toContain(secret);
        expect(await store.live()).toHaveLength(3);
        expect(logged).toHaveLength(1);
      },
    );

    it('Rows that cannot be read are set aside when they are requested, and the task can be put again', async () => {
      const site = await stage();
      const { open, logged } = site;
      const store = await open();
      const done = settled(makeTask());
      await store.put(done);
      await site.rewrite(({ namespace }) => (namespace === 'finished' ? 'rubbish' : undefined));
      const asked = await Promise.all([store.get(done.id), store.get(done.id)]);
      expect(asked).toEqual([undefined, undefined]);
      expect(logged).toHaveLength(1);
      await store.put(done);
      expect((await store.get(done.id))?.id).toBe(done.id);
    });

    it('Rows that cannot be read are set aside in the lists and durations, and new entries are kept', async () => {
      const site = await stage();
      const { open, logged } = site;
      const store = await open();
      await store.put(makeTask());
      await store.addDuration('imagine', duration);
      await site.rewrite(({ namespace }) => (['index', 'durations'].includes(namespace) ? 'rubbish' : undefined));
      expect((await store.page({ of: { memberId: 'ann' }, max: 5 })).summaries).toEqual([]);
      expect(await store.durations('imagine')).toEqual([]);
      expect(logged).toHaveLength(2);
      const next = makeTask({ times: { created: START + 1 } });
      await store.put(next);
      await store.addDuration('imagine', duration);
      expect((await store.page({ of: { memberId: 'ann' }, max: 5 })).summaries.map(({ id }) => id)).toEqual([next.id]);
      expect(await store.durations('imagine')).toEqual([duration]);
    });

    it('Rows that cannot be read are refused and left in place when a newer version wrote them', async () => {
      const site = await stage();
      const { open } = site;
      const store = await open();
      await store.put(task);
      await site.rewrite(({ namespace, text }) =>
        namespace === 'live' ? text.replace(`"version":${TASK_VERSION}`, `"version":${TASK_VERSION + 1}`) : undefined,
      );
      await allThrow([store.live(), store.get(task.id)], 'newer', 'newer Atelier');
      expect(await site.keys('live')).toEqual([task.id]);
      expect(await site.keys('quarantine')).toEqual([]);
    });
  }));
