import { describe, expect, it } from 'vitest';
import { createFixture, verdictForAll } from './fixture.ts';

describe('The polls of a task', () => {
  it('The scheduler polls nothing before the start, and then what is due', async () => {
    const { scheduler, lane, at, pass, polls, timers } = createFixture();
    scheduler.add({ id: 'a', lane: lane('l', (ids) => verdictForAll(ids, 'done')), group: 'g', nextPollAt: at(0) });
    await pass(10_000);
    expect(polls).toEqual([]);
    expect(timers.count).toBe(0);
    scheduler.start();
    await pass(0);
    expect(polls).toEqual([{ lane: 'l', ids: ['a'], at: 10_000 }]);
  });

  it('The scheduler polls first at the given time, then at the times that the verdicts name, and never after the last one', async () => {
    const { scheduler, lane, at, pass, polls, now } = createFixture();
    const testLane = lane('l', (ids) => verdictForAll(ids, polls.length < 3 ? { again: at(now() + 2_500) } : 'done'));
    scheduler.start();
    scheduler.add({ id: 'a', lane: testLane, group: 'g', nextPollAt: at(1_000) });
    await pass(999);
    expect(polls).toEqual([]);
    await pass(60_000);
    expect(polls.map((poll) => poll.at)).toEqual([1_000, 3_500, 6_000]);
    expect(scheduler.size).toBe(0);
  });

  it('The scheduler stops polling a task when it is done', async () => {
    const { scheduler, lane, at, pass, timers } = createFixture();
    scheduler.start();
    scheduler.add({ id: 'a', lane: lane('l', (ids) => verdictForAll(ids, 'done')), group: 'g', nextPollAt: at(0) });
    expect(scheduler.size).toBe(1);
    await pass(0);
    expect(scheduler.size).toBe(0);
    expect(timers.count).toBe(0);
  });

  it('The scheduler polls tasks in the order in which they fall due, and equal ones in the order in which they were added', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture();
    const testLane = lane('l', (ids) => verdictForAll(ids, 'done'));
    const dueTimes = [300, 100, 200, 100, 100, 300, 100];
    for (const [index, ms] of dueTimes.entries())
      scheduler.add({ id: `${ms}.${index}`, lane: testLane, group: 'g', nextPollAt: at(ms) });
    scheduler.start();
    await pass(1_000);
    expect(polls.map(({ ids }) => ids[0])).toEqual(['100.1', '100.3', '100.4', '100.6', '200.2', '300.0', '300.5']);
  });

  it('The scheduler shifts the next poll by at most a twentieth of the gap, in either direction', async () => {
    for (const [random, expected] of [
      [0, 9_500],
      [0.5, 10_000],
      [1, 10_500],
    ] as const) {
      const { scheduler, lane, at, pass, polls, now } = createFixture({ random: () => random });
      scheduler.start();
      scheduler.add({
        id: 'a',
        lane: lane('l', (ids) => verdictForAll(ids, { again: at(now() + 10_000) })),
        group: 'g',
        nextPollAt: at(0),
      });
      await pass(11_000);
      expect(polls[1]?.at).toBe(expected);
    }
  });

  it("The scheduler keeps the tasks of one poll together, and includes those that fall due soon, up to the lane's limit", async () => {
    let chance = 0;
    const { scheduler, at, pass, polls, lane, now } = createFixture({ random: () => (chance = (chance + 0.37) % 1) });
    const max = { count: 3 };
    const testLane = {
      ...lane('l', (ids) => verdictForAll(ids, { again: at(now() + 10_000) })),
      gatherMs: 2_000,
      get max() {
        return max.count;
      },
    };
    for (const [index, id] of ['a', 'b', 'c'].entries())
      scheduler.add({ id, lane: testLane, group: 'g', nextPollAt: at(index * 900) });
    scheduler.start();
    await pass(60_000);
    expect(polls.length).toBeGreaterThan(4);
    for (const { ids } of polls) expect(ids).toHaveLength(3);
    // A gateway that turns out to accept fewer ids gets fewer ids immediately.
    max.count = 2;
    const pollsBefore = polls.length;
    await pass(30_000);
    for (const { ids } of polls.slice(pollsBefore)) expect(ids.length).toBeLessThanOrEqual(2);
  });

  it('The scheduler uses one timer for all waiting tasks', async () => {
    const { scheduler, manualLane, at, timers, pass } = createFixture();
    scheduler.start();
    const testLane = manualLane('l');
    for (let task = 0; task < 1_000; task += 1) {
      scheduler.add({ id: `${task}`, lane: testLane, group: 'g', nextPollAt: at(1_000 - (task % 7)) });
      expect(timers.count).toBe(1);
    }
    expect(timers.next).toBe(at(994));
    await pass(996);
    expect(timers.count).toBe(1);
  });

  it('The scheduler polls a task again after a while when the response omitted it', async () => {
    const { scheduler, lane, at, pass, polls, lines } = createFixture();
    scheduler.start();
    scheduler.add({ id: 'a', lane: lane('l', () => new Map()), group: 'g', nextPollAt: at(0) });
    await pass(12_000);
    expect(polls.map((poll) => poll.at)).toEqual([0, 5_000, 10_000]);
    expect(lines[0]).toMatchObject({ level: 'debug', facts: { lane: 'l', missing: ['a'] } });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'The scheduler polls after a while if a verdict has an invalid time: %s',
    async (again) => {
      const { scheduler, lane, at, pass, polls } = createFixture();
      scheduler.start();
      scheduler.add({
        id: 'a',
        lane: lane('l', (ids) => verdictForAll(ids, { again })),
        group: 'g',
        nextPollAt: again,
      });
      await pass(10_000);
      expect(polls.map((poll) => poll.at)).toEqual([0, 5_000, 10_000]);
      expect(at(10_000)).toBeGreaterThan(0);
    },
  );

  it('The scheduler keeps the minimum gap if a verdict names a time in the past', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture();
    scheduler.start();
    scheduler.add({
      id: 'a',
      lane: lane('l', (ids) => verdictForAll(ids, { again: at(-1_000) })),
      group: 'g',
      nextPollAt: at(-5_000),
    });
    await pass(5_000);
    expect(polls.map((poll) => poll.at)).toEqual([0, 2_000, 4_000]);
  });

  it('The scheduler waits longer than a timer can, without polling early or spinning', async () => {
    const { scheduler, lane, at, pass, polls, timers } = createFixture();
    const dayMs = 86_400_000;
    scheduler.start();
    scheduler.add({
      id: 'a',
      lane: lane('l', (ids) => verdictForAll(ids, 'done')),
      group: 'g',
      nextPollAt: at(60 * dayMs),
    });
    expect(timers.next - timers.now()).toBeLessThan(2 ** 31);
    await pass(60 * dayMs - 1);
    expect(polls).toEqual([]);
    await pass(1);
    expect(polls).toHaveLength(1);
  });

  it('The scheduler replaces a task that is added again, even when it is due earlier', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture();
    scheduler.start();
    const testLane = lane('l', (ids) => verdictForAll(ids, 'done'));
    scheduler.add({ id: 'later', lane: testLane, group: 'g', nextPollAt: at(1_000) });
    scheduler.add({ id: 'later', lane: testLane, group: 'g', nextPollAt: at(2_000) });
    scheduler.add({ id: 'earlier', lane: testLane, group: 'g', nextPollAt: at(2_000) });
    scheduler.add({
      id: 'earlier',
      lane: lane('other', (ids) => verdictForAll(ids, 'done')),
      group: 'h',
      nextPollAt: at(500),
    });
    expect(scheduler.size).toBe(2);
    await pass(5_000);
    expect(polls).toEqual([
      { lane: 'other', ids: ['earlier'], at: 500 },
      { lane: 'l', ids: ['later'], at: 2_000 },
    ]);
  });

  it('The scheduler accepts every call from inside a poll', async () => {
    const { scheduler, at, pass, polls, lane } = createFixture();
    const otherLane = lane('inner', (ids) => verdictForAll(ids, 'done'));
    const testLane = lane('l', (ids) => {
      scheduler.remove('c');
      scheduler.hint('b');
      scheduler.add({ id: 'd', lane: otherLane, group: 'g', nextPollAt: at(0) });
      return verdictForAll(ids, 'done');
    });
    scheduler.start();
    scheduler.add({ id: 'a', lane: testLane, group: 'g', nextPollAt: at(0) });
    scheduler.add({ id: 'b', lane: otherLane, group: 'g', nextPollAt: at(9_000) });
    scheduler.add({ id: 'c', lane: otherLane, group: 'g', nextPollAt: at(0) });
    await pass(0);
    expect(polls.map(({ ids }) => ids[0])).toEqual(['a', 'b', 'd']);
    expect(scheduler.size).toBe(0);
  });
});
