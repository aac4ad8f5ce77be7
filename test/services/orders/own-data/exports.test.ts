import { setImmediate as immediately } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { tasksOf } from '../../../../src/services/orders/lists.ts';
import { createExports } from '../../../../src/services/orders/own-data/exports.ts';
import { EMPTY_ANSWER } from '../../../../src/services/tasks/answer.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { createStoreFixture, makeTask, START, settled } from '../../store/store-fixture.ts';

const LARGE_LIMIT = 10_000_000;
const TASK_COUNT = 120;

/** Creates an export service on a real store in which one member has this many tasks. */
async function createFixture(taskCount = TASK_COUNT) {
  const { open } = createStoreFixture();
  const store = await open();
  const storedTasks: Task[] = [];
  for (let index = 0; index < taskCount; index++) {
    const task = settled(
      makeTask({ request: { prompt: `wish ${index}, “in\nlines”` }, times: { created: START + index } }),
    );
    await store.put(task);
    storedTasks.unshift(task);
  }
  let erasedMemberId: string | undefined;
  let readCount = 0;
  const exports = createExports(
    async (memberId) => ({
      memberId,
      now: START,
      tasks: rows(memberId),
      entries: undefined,
      partitions: [],
    }),
    { isUnderWay: (memberId) => memberId === erasedMemberId, isUnderWayElsewhere: async () => false },
  );
  async function* rows(memberId: string): AsyncGenerator<Task> {
    for await (const { id } of tasksOf(memberId, store)) {
      const task = await store.get(id);
      readCount += 1;
      if (task) yield task;
    }
  }
  return {
    exports,
    storedTasks,
    add: (task: Task) => store.put(task),
    readCount: () => readCount,
    startErasure: (memberId: string) => (erasedMemberId = memberId),
  };
}

const refusal = (key: string) => expect.objectContaining({ constructor: Refusal, key });

describe('An export', () => {
  it('An export is one valid document with every row, however many there are', async () => {
    const { exports, storedTasks } = await createFixture();
    const { bytes, isCompressed, tasks } = await exports.create('ann', LARGE_LIMIT);
    const data = JSON.parse(bytes.toString()) as { tasks: { id: string; request: unknown }[]; ledger: unknown[] };
    expect([isCompressed, tasks, data.ledger]).toEqual([false, TASK_COUNT, []]);
    expect(data.tasks.map(({ id, request }) => [id, request])).toEqual(
      storedTasks.map(({ id, request }) => [id, request]),
    );
    expect(bytes.toString()).toBe(`${JSON.stringify(data, undefined, 2)}\n`);
  });

  it('An export contains the schema, the transcript and the files of a question', async () => {
    const { exports, add } = await createFixture(0);
    const answer = {
      ...EMPTY_ANSWER,
      heard: 'A recording of a fox.',
      leftOut: [{ name: 'old.png', why: 'gone' as const }],
      schemaCheck: {
        misfits: [{ at: '/name', rule: 'type' as const, expected: 'string' }],
        count: 1,
        isUnfinished: false,
      },
    };
    const request = { prompt: 'who?', model: 'quill-5', schema: '{"type":"object"}' };
    await add(settled(makeTask({ kind: 'ask', request, answer })));
    const { bytes } = await exports.create('ann', LARGE_LIMIT);
    expect(JSON.parse(bytes.toString())).toMatchObject({ tasks: [{ request, answer }] });
  });

  it('An export is a valid document even for a member without data', async () => {
    const { exports } = await createFixture(0);
    const { bytes } = await exports.create('ann', LARGE_LIMIT);
    expect(JSON.parse(bytes.toString())).toMatchObject({ about: { memberId: 'ann' }, tasks: [], ledger: [] });
  });

  it('An export lets other work run between its rows', async () => {
    const { exports } = await createFixture();
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) immediately(count);
    };
    immediately(count);
    await exports.create('ann', LARGE_LIMIT);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(TASK_COUNT / 10);
  });

  it('An export is compressed when it exceeds the upload limit, and refused if that is not enough', async () => {
    const { exports, storedTasks, readCount } = await createFixture();
    const { bytes, isCompressed, release } = await exports.create('ann', 40_000);
    release();
    await setImmediate();
    expect([isCompressed, bytes.length <= 40_000]).toEqual([true, true]);
    expect(JSON.parse(gunzipSync(bytes).toString()).tasks).toHaveLength(storedTasks.length);
    const readsBefore = readCount();
    await expect(exports.create('ann', 500)).rejects.toEqual(refusal('refusals.exportTooLarge'));
    expect(readCount() - readsBefore).toBeLessThanOrEqual(storedTasks.length);
    (await exports.create('ann', LARGE_LIMIT)).release();
  });

  it('Only one export runs at a time per member, and only one in total is in memory', async () => {
    const { exports, readCount } = await createFixture();
    const first = await exports.create('ann', LARGE_LIMIT);
    const readsBefore = readCount();
    await expect(exports.create('ann', LARGE_LIMIT)).rejects.toEqual(refusal('refusals.exportInProgress'));
    let isCreated = false;
    const other = exports.create('bob', LARGE_LIMIT).then((file) => {
      isCreated = true;
      return file;
    });
    await setImmediate();
    expect([isCreated, readCount()]).toEqual([false, readsBefore]);
    first.release();
    (await other).release();
    await setImmediate();
    (await exports.create('ann', LARGE_LIMIT)).release();
  });

  it('An export is refused while an erasure for its member is running, and stopped when one begins', async () => {
    const { exports, startErasure, readCount } = await createFixture();
    const pendingExport = exports.create('ann', LARGE_LIMIT);
    const rejection = expect(pendingExport).rejects.toEqual(refusal('refusals.exportDuringErasure'));
    await setImmediate();
    startErasure('ann');
    await rejection;
    expect(readCount()).toBeLessThan(TASK_COUNT);
    await expect(exports.create('ann', LARGE_LIMIT)).rejects.toEqual(refusal('refusals.exportDuringErasure'));
    (await exports.create('bob', LARGE_LIMIT)).release();
  });
});
