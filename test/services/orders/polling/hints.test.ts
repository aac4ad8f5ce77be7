import { describe, expect, it } from 'vitest';
import { createFixture, verdictForAll } from './fixture.ts';

/** Starts the first poll of a task and leaves it in flight. */
async function startPoll() {
  const setup = createFixture();
  const testLane = setup.manualLane('l');
  setup.scheduler.start();
  setup.scheduler.add({ id: 'a', lane: testLane, group: 'g', nextPollAt: setup.at(0) });
  await setup.pass(0);
  expect(setup.pendingPolls).toHaveLength(1);
  const answer = async (index: number, verdict: { again: number } | 'done'): Promise<void> => {
    setup.pendingPolls[index]?.answer(verdictForAll(['a'], verdict));
    await setup.pass(0);
  };
  return { ...setup, testLane, answer };
}

describe('A hint', () => {
  it('A hint brings the next poll forward to now', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture();
    scheduler.start();
    scheduler.add({
      id: 'a',
      lane: lane('l', (ids) => verdictForAll(ids, { again: at(50_000) })),
      group: 'g',
      nextPollAt: at(60_000),
    });
    await pass(1_000);
    scheduler.hint('a');
    scheduler.hint('a');
    await pass(10_000);
    expect(polls.map((poll) => poll.at)).toEqual([1_000]);
  });

  it("A hint during a poll is followed by exactly one more, as soon as the task's allowance permits", async () => {
    const { scheduler, at, pass, pendingPolls, answer } = await startPoll();
    scheduler.hint('a');
    scheduler.hint('a');
    await pass(1_000);
    expect(pendingPolls).toHaveLength(1);
    await answer(0, { again: at(30_000) });
    await pass(2_000);
    expect(pendingPolls[1]?.at).toBe(3_000);
    await answer(1, { again: at(30_000) });
    await pass(20_000);
    expect(pendingPolls).toHaveLength(2);
  });

  it('A hint during the last poll changes nothing', async () => {
    const { scheduler, pass, pendingPolls, answer } = await startPoll();
    scheduler.hint('a');
    await answer(0, 'done');
    await pass(60_000);
    expect(pendingPolls).toHaveLength(1);
    expect(scheduler.size).toBe(0);
  });

  it('A hint during a poll that fails takes effect with the next poll', async () => {
    const { scheduler, pass, pendingPolls } = await startPoll();
    scheduler.hint('a');
    pendingPolls[0]?.answer({ kind: 'unreachable', reason: 'reset' });
    await pass(1_999);
    expect(pendingPolls).toHaveLength(1);
    await pass(1);
    pendingPolls[1]?.answer(verdictForAll(['a'], 'done'));
    await pass(60_000);
    expect(pendingPolls).toHaveLength(2);
  });

  it('A hint about an unknown task has no effect', async () => {
    const { scheduler, pass, polls } = createFixture();
    scheduler.start();
    scheduler.hint('nobody');
    scheduler.remove('nobody');
    await pass(1_000);
    expect(polls).toEqual([]);
  });
});

describe('A task that is removed while it is polled', () => {
  it('A task that is removed while it is polled stays removed after any verdict', async () => {
    const { scheduler, at, pass, pendingPolls, answer, timers } = await startPoll();
    scheduler.remove('a');
    scheduler.hint('a');
    await answer(0, { again: at(1_000) });
    await pass(60_000);
    expect(pendingPolls).toHaveLength(1);
    expect(scheduler.size).toBe(0);
    expect(timers.count).toBe(0);
  });

  it('A task that is removed while it is polled is not ended by the old verdict after it was added again', async () => {
    const { scheduler, testLane, at, pass, pendingPolls, answer } = await startPoll();
    scheduler.add({ id: 'a', lane: testLane, group: 'g', nextPollAt: at(3_000) });
    await answer(0, 'done');
    expect(scheduler.size).toBe(1);
    await pass(3_000);
    expect(pendingPolls[1]?.at).toBe(3_000);
    await answer(1, 'done');
    expect(scheduler.size).toBe(0);
  });

  it('A task that is removed while it is polled does not affect the other tasks of its poll', async () => {
    const { scheduler, manualLane, at, pass, pendingPolls } = createFixture();
    const testLane = manualLane('l', 3);
    scheduler.start();
    for (const id of ['a', 'b', 'c']) scheduler.add({ id, lane: testLane, group: 'g', nextPollAt: at(0) });
    await pass(0);
    scheduler.remove('b');
    pendingPolls[0]?.answer(verdictForAll(['a', 'b', 'c'], { again: at(1_000) }));
    await pass(2_000);
    expect(pendingPolls[1]?.ids).toEqual(['a', 'c']);
  });
});
