import { describe, expect, it } from 'vitest';
import { all, stage } from './stage.ts';

/** A task whose first poll is in flight. */
async function underWay() {
  const set = stage();
  const road = set.patient('l');
  set.scheduler.start();
  set.scheduler.add({ id: 'a', lane: road, group: 'g', at: set.at(0) });
  await set.pass(0);
  expect(set.open).toHaveLength(1);
  const answer = async (place: number, verdict: { again: number } | 'done'): Promise<void> => {
    set.open[place]?.answer(all(['a'], verdict));
    await set.pass(0);
  };
  return { ...set, road, answer };
}

describe('A hint', () => {
  it('A hint brings the next poll forward to now', async () => {
    const { scheduler, lane, at, pass, questions } = stage();
    scheduler.start();
    scheduler.add({ id: 'a', lane: lane('l', (ids) => all(ids, { again: at(50_000) })), group: 'g', at: at(60_000) });
    await pass(1_000);
    scheduler.hint('a');
    scheduler.hint('a');
    await pass(10_000);
    expect(questions.map((question) => question.at)).toEqual([1_000]);
  });

  it("A hint during a poll is followed by exactly one more, as soon as the task's allowance permits", async () => {
    const { scheduler, at, pass, open, answer } = await underWay();
    scheduler.hint('a');
    scheduler.hint('a');
    await pass(1_000);
    expect(open).toHaveLength(1);
    await answer(0, { again: at(30_000) });
    await pass(2_000);
    expect(open[1]?.at).toBe(3_000);
    await answer(1, { again: at(30_000) });
    await pass(20_000);
    expect(open).toHaveLength(2);
  });

  it('A hint during the last poll changes nothing', async () => {
    const { scheduler, pass, open, answer } = await underWay();
    scheduler.hint('a');
    await answer(0, 'done');
    await pass(60_000);
    expect(open).toHaveLength(1);
    expect(scheduler.size).toBe(0);
  });

  it('A hint during a poll that fails waits for the next one', async () => {
    const { scheduler, pass, open } = await underWay();
    scheduler.hint('a');
    open[0]?.answer({ kind: 'unreachable', reason: 'reset' });
    await pass(1_999);
    expect(open).toHaveLength(1);
    await pass(1);
    open[1]?.answer(all(['a'], 'done'));
    await pass(60_000);
    expect(open).toHaveLength(2);
  });

  it('A hint about an unknown task has no effect', async () => {
    const { scheduler, pass, questions } = stage();
    scheduler.start();
    scheduler.hint('nobody');
    scheduler.remove('nobody');
    await pass(1_000);
    expect(questions).toEqual([]);
  });
});

describe('A task that is removed while it is polled', () => {
  it('A task that is removed while it is polled stays removed after any verdict', async () => {
    const { scheduler, at, pass, open, answer, own } = await underWay();
    scheduler.remove('a');
    scheduler.hint('a');
    await answer(0, { again: at(1_000) });
    await pass(60_000);
    expect(open).toHaveLength(1);
    expect(scheduler.size).toBe(0);
    expect(own.count).toBe(0);
  });

  it('A task that is removed while it is polled is not ended by the old verdict after it was added again', async () => {
    const { scheduler, road, at, pass, open, answer } = await underWay();
    scheduler.add({ id: 'a', lane: road, group: 'g', at: at(3_000) });
    await answer(0, 'done');
    expect(scheduler.size).toBe(1);
    await pass(3_000);
    expect(open[1]?.at).toBe(3_000);
    await answer(1, 'done');
    expect(scheduler.size).toBe(0);
  });

  it('A task that is removed while it is polled does not affect the other tasks of its poll', async () => {
    const { scheduler, patient, at, pass, open } = stage();
    const road = patient('l', 3);
    scheduler.start();
    for (const id of ['a', 'b', 'c']) scheduler.add({ id, lane: road, group: 'g', at: at(0) });
    await pass(0);
    scheduler.remove('b');
    open[0]?.answer(all(['a', 'b', 'c'], { again: at(1_000) }));
    await pass(2_000);
    expect(open[1]?.ids).toEqual(['a', 'c']);
  });
});
