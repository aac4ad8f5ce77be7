import { describe, expect, it } from 'vitest';
import type { Lane } from '../../../../src/services/orders/polling/lane.ts';
import { createFixture, verdictForAll } from './fixture.ts';

const tenPollsPerSecond = { limits: { perSecond: 10, inFlight: 1_000 } };

describe('Turns of the scheduler', () => {
  it('Turns of the scheduler alternate between groups, so a thousand tasks of one group delay the only task of another by one turn', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture(tenPollsPerSecond);
    const testLane = lane('l', (ids) => verdictForAll(ids, 'done'));
    scheduler.start();
    for (let task = 0; task < 1_000; task += 1)
      scheduler.add({ id: `busy ${task}`, lane: testLane, group: 'busy', nextPollAt: at(0) });
    await pass(1_950);
    scheduler.add({ id: 'single', lane: testLane, group: 'quiet', nextPollAt: at(1_950) });
    await pass(200);
    const index = polls.findIndex(({ ids }) => ids[0] === 'single');
    const lastBefore = polls.findLastIndex((poll) => poll.at <= 1_950);
    expect(index - lastBefore).toBeLessThanOrEqual(2);
    expect(index).toBeGreaterThan(0);
  });

  it('Turns of the scheduler alternate between groups, and serve the first task within a group first', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture(tenPollsPerSecond);
    const testLane = lane('l', (ids) => verdictForAll(ids, 'done'));
    for (const id of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
      scheduler.add({ id, lane: testLane, group: id.charAt(0), nextPollAt: at(0) });
    }
    scheduler.start();
    await pass(1_000);
    expect(polls.map(({ ids }) => ids[0])).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('Turns of the scheduler alternate between lanes as well', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture(tenPollsPerSecond);
    const lanes = ['x', 'y', 'z'].map((name) => lane(name, (ids) => verdictForAll(ids, 'done')));
    for (const one of lanes) {
      for (let task = 0; task < 3; task += 1) {
        scheduler.add({ id: `${one.name}${task}`, lane: one, group: 'g', nextPollAt: at(0) });
      }
    }
    scheduler.start();
    await pass(2_000);
    const names = polls.map((poll) => poll.lane);
    for (const round of [names.slice(0, 3), names.slice(3, 6), names.slice(6)]) {
      expect(round.toSorted()).toEqual(['x', 'y', 'z']);
    }
  });

  it('Turns of the scheduler continue while one lane hangs, because it never takes up all the polls in flight', async () => {
    const { scheduler, manualLane, lane, at, pass, polls } = createFixture({ limits: { perSecond: 100, inFlight: 8 } });
    const hangingLane = manualLane('hanging');
    const healthyLane = lane('well', (ids) => verdictForAll(ids, 'done'));
    for (let task = 0; task < 20; task += 1)
      scheduler.add({ id: `h${task}`, lane: hangingLane, group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(10_000);
    expect(polls).toHaveLength(6);
    scheduler.add({ id: 'other', lane: healthyLane, group: 'g', nextPollAt: at(10_000) });
    await pass(0);
    expect(polls.at(-1)).toEqual({ lane: 'well', ids: ['other'], at: 10_000 });
  });
});

describe('A lane that polls several tasks at once', () => {
  async function pollInBatches(max: number, tasks: readonly { id: string; group: string; at: number }[]) {
    const { scheduler, lane, at, pass, polls } = createFixture({ limits: { perSecond: 10, inFlight: 10 } });
    const testLane: Lane = lane('l', (ids) => verdictForAll(ids, 'done'), max);
    for (const task of tasks) scheduler.add({ ...task, lane: testLane, nextPollAt: at(task.at) });
    scheduler.start();
    await pass(10_000);
    expect(scheduler.size).toBe(0);
    return polls;
  }

  it('A batching lane polls as many tasks as it can at once, alternating between groups, and is charged one poll', async () => {
    const tasks = Array.from({ length: 25 }, (_, task) => ({ id: `a${task}`, group: 'a', at: 0 }));
    const polls = await pollInBatches(10, [...tasks, { id: 'b0', group: 'b', at: 0 }]);
    expect(polls.map(({ ids }) => ids.length)).toEqual([10, 10, 6]);
    expect(polls.map((poll) => poll.at)).toEqual([0, 100, 200]);
    expect(polls[0]?.ids.slice(0, 3)).toEqual(['a0', 'b0', 'a1']);
  });

  it('A batching lane includes tasks that fall due within a quarter of a second, and none later', async () => {
    const polls = await pollInBatches(10, [
      { id: 'first', group: 'a', at: 1_000 },
      { id: 'soon', group: 'a', at: 1_250 },
      { id: 'later', group: 'a', at: 1_251 },
    ]);
    expect(polls).toEqual([
      { lane: 'l', ids: ['first', 'soon'], at: 1_000 },
      { lane: 'l', ids: ['later'], at: 1_251 },
    ]);
  });

  it('A batching lane prefers due tasks to tasks that are about to fall due', async () => {
    const polls = await pollInBatches(2, [
      { id: 'soon', group: 'b', at: 100 },
      { id: 'due 1', group: 'a', at: 0 },
      { id: 'due 2', group: 'a', at: 0 },
    ]);
    expect(polls[0]?.ids).toEqual(['due 1', 'due 2']);
  });

  it.each([0, -1, Number.NaN])('A batching lane polls one task at a time if its limit is invalid: %s', async (max) => {
    const polls = await pollInBatches(max, [
      { id: 'a', group: 'g', at: 0 },
      { id: 'b', group: 'g', at: 0 },
    ]);
    expect(polls.map(({ ids }) => ids)).toEqual([['a'], ['b']]);
  });
});
