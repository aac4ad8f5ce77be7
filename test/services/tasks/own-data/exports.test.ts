import { setImmediate as immediately } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { EMPTY_ANSWER } from '../../../../src/services/tasks/answer.ts';
import { Exports } from '../../../../src/services/tasks/own-data/exports.ts';
import { tasksOf } from '../../../../src/services/tasks/own-data/tasks-of.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { makeTask, START, settled, stage } from '../../store/stage.ts';

const LARGE_LIMIT = 10_000_000;
const TASK_COUNT = 120;

/** Exports from a real store, whose member has this many tasks. */
async function scene(howMany = TASK_COUNT) {
  const { open } = stage();
  const store = await open();
  const kept: Task[] = [];
  for (let at = 0; at < howMany; at++) {
    const task = settled(makeTask({ request: { prompt: `wish ${at}, “in\nlines”` }, times: { created: START + at } }));
    await store.put(task);
    kept.unshift(task);
  }
  let forgotten: string | undefined;
  let read = 0;
  const exports = new Exports({
    rowsOf: async (memberId) => ({
      memberId,
      now: START,
      tasks: rows(memberId),
      entries: undefined,
      about: async () => [],
    }),
    isBeingErased: (memberId) => memberId === forgotten,
    isBeingErasedElsewhere: async () => false,
  });
  async function* rows(memberId: string): AsyncGenerator<Task> {
    for await (const { id } of tasksOf(memberId, store)) {
      const task = await store.get(id);
      read += 1;
      if (task) yield task;
    }
  }
  return {
    exports,
    kept,
    add: (task: Task) => store.put(task),
    read: () => read,
    forget: (memberId: string) => (forgotten = memberId),
  };
}

const refusal = (key: string) => expect.objectContaining({ constructor: Refusal, key });

describe('An export', () => {
  it('An export is one valid document with every row, however many there are', async () => {
    const { exports, kept } = await scene();
    const { bytes, isCompressed, tasks } = await exports.create('ann', LARGE_LIMIT);
    const data = JSON.parse(bytes.toString()) as { tasks: { id: string; request: unknown }[]; ledger: unknown[] };
    expect([isCompressed, tasks, data.ledger]).toEqual([false, TASK_COUNT, []]);
    expect(data.tasks.map(({ id, request }) => [id, request])).toEqual(kept.map(({ id, request }) => [id, request]));
    expect(bytes.toString()).toBe(`${JSON.stringify(data, undefined, 2)}\n`);
  });

  it('An export contains the schema, the transcript and the files of a question', async () => {
    const { exports, add } = await scene(0);
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
    const { exports } = await scene(0);
    const { bytes } = await exports.create('ann', LARGE_LIMIT);
    expect(JSON.parse(bytes.toString())).toMatchObject({ about: { memberId: 'ann' }, tasks: [], ledger: [] });
  });

  it('An export lets other work run between its rows', async () => {
    const { exports } = await scene();
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

  it('An export is compressed when it exceeds the size of a message, and refused if that is not enough', async () => {
    const { exports, kept, read } = await scene();
    const { bytes, isCompressed, release } = await exports.create('ann', 40_000);
    release();
    await setImmediate();
    expect([isCompressed, bytes.length <= 40_000]).toEqual([true, true]);
    expect(JSON.parse(gunzipSync(bytes).toString()).tasks).toHaveLength(kept.length);
    const before = read();
    await expect(exports.create('ann', 500)).rejects.toEqual(refusal('refusals.exportTooLarge'));
    expect(read() - before).toBeLessThanOrEqual(kept.length);
    (await exports.create('ann', LARGE_LIMIT)).release();
  });

  it('Only one export runs at a time per member, and only one in total is in memory', async () => {
    const { exports, read } = await scene();
    const first = await exports.create('ann', LARGE_LIMIT);
    const before = read();
    await expect(exports.create('ann', LARGE_LIMIT)).rejects.toEqual(refusal('refusals.exportInProgress'));
    let isThere = false;
    const other = exports.create('bob', LARGE_LIMIT).then((file) => {
      isThere = true;
      return file;
    });
    await setImmediate();
    expect([isThere, read()]).toEqual([false, before]);
    first.release();
    (await other).release();
    await setImmediate();
    (await exports.create('ann', LARGE_LIMIT)).release();
  });

  it('An export is refused while an erasure for its member is running, and stopped when one begins', async () => {
    const { exports, forget, read } = await scene();
    const made = exports.create('ann', LARGE_LIMIT);
    const told = expect(made).rejects.toEqual(refusal('refusals.exportDuringErasure'));
    await setImmediate();
    forget('ann');
    await told;
    expect(read()).toBeLessThan(TASK_COUNT);
    await expect(exports.create('ann', LARGE_LIMIT)).rejects.toEqual(refusal('refusals.exportDuringErasure'));
    (await exports.create('bob', LARGE_LIMIT)).release();
  });
});
