import { describe, expect, it } from 'vitest';
import type { Lane, Trouble } from '../../../../src/services/orders/polling/lane.ts';
import { createFixture, verdictForAll } from './fixture.ts';

const busy = (retryAfterMs?: number): Trouble => ({ kind: 'busy', reason: 'Slow down.', retryAfterMs });
const refused: Trouble = { kind: 'refused', reason: 'The key is not valid.' };
const unreachable: Trouble = { kind: 'unreachable', reason: 'Connection reset.' };

/** A lane with the given failure until the test ends it; polled tasks are polled again after ten minutes. */
function createTroubledLane(trouble: Trouble, tasks: number, max = 1) {
  const setup = createFixture();
  const state = { trouble: trouble as Trouble | undefined };
  const testLane = setup.lane(
    'l',
    (ids) => state.trouble ?? verdictForAll(ids, { again: setup.at(setup.now() + 600_000) }),
    max,
  );
  for (let task = 0; task < tasks; task += 1) {
    setup.scheduler.add({ id: `${task}`, lane: testLane, group: `${task % 2}`, nextPollAt: setup.at(0) });
  }
  setup.scheduler.start();
  return { ...setup, testLane, state, times: () => setup.polls.map(({ at }) => at) };
}

/** The times of the first polls of a lane that keeps failing. With one task, all polls are probes. */
async function probeTimes(trouble: Trouble, ms: number): Promise<number[]> {
  const { pass, times, scheduler } = createTroubledLane(trouble, 1);
  await pass(ms);
  expect(scheduler.size).toBe(1);
  return times();
}

const gaps = (moments: readonly number[]): number[] => moments.slice(1).map((at, index) => at - (moments[index] ?? 0));

describe('A lane that was asked to wait', () => {
  it.each([
    ['as long as requested', 7_000, 7_000],
    ['the minimum gap of a task', 0, 2_000],
    ['the minimum gap of a task', -5, 2_000],
    ['five minutes at most', 3_600_000, 300_000],
    ['five minutes at most', Number.POSITIVE_INFINITY, 300_000],
    ['as if no time had been stated', Number.NaN, 2_000],
  ])('A lane that was asked to wait waits %s', async (_what, retryAfterMs, expected) => {
    expect(gaps(await probeTimes(busy(retryAfterMs), expected))).toEqual([expected]);
  });

  it('A lane that was asked to wait doubles its wait each time without a stated time, up to a minute', async () => {
    expect(gaps(await probeTimes(busy(), 250_000))).toEqual([2, 4, 8, 16, 32, 60, 60, 60].map((s) => s * 1_000));
  });

  it('A lane that was asked to wait waits at least a second, and then polls another task', async () => {
    const { scheduler, pass, times, at, testLane } = createTroubledLane(busy(0), 1);
    scheduler.add({ id: 'other', lane: testLane, group: 'g', nextPollAt: at(500) });
    await pass(1_000);
    expect(times()).toEqual([0, 1_000]);
  });

  it('A lane that was asked to wait sends one poll after the pause, and all others after its response', async () => {
    const { pass, times, state } = createTroubledLane(busy(3_000), 10);
    await pass(2_999);
    // All ten were in flight before the first response told the lane to wait.
    expect(times()).toHaveLength(10);
    await pass(1);
    expect(times().slice(10)).toEqual([3_000]);
    state.trouble = undefined;
    await pass(20_000);
    expect(times().slice(11)[0]).toBe(6_000);
    expect(times()).toHaveLength(21);
  });

  it('A lane that was asked to wait does not make the other lanes wait', async () => {
    const { scheduler, lane, at, pass, polls } = createTroubledLane(busy(60_000), 3);
    const healthyLane = lane('well', (ids) => verdictForAll(ids, 'done'));
    await pass(0);
    scheduler.add({ id: 'other', lane: healthyLane, group: 'g', nextPollAt: at(1_000) });
    await pass(1_000);
    expect(polls.at(-1)).toEqual({ lane: 'well', ids: ['other'], at: 1_000 });
    expect(scheduler.troubles()).toEqual([{ ...busy(60_000), lane: 'l', since: at(0) }]);
  });

  it('A lane that was asked to wait waits longer if a single success is followed by the same failure', async () => {
    const { scheduler, pass, times, state, at, testLane } = createTroubledLane(busy(), 1);
    await pass(1_999);
    state.trouble = undefined;
    await pass(1);
    state.trouble = busy();
    scheduler.add({ id: 'next', lane: testLane, group: 'g', nextPollAt: at(3_000) });
    await pass(5_000);
    expect(times()).toEqual([0, 2_000, 3_000, 7_000]);
  });

  it('A lane that was asked to wait starts with a short wait again if the failure returns after a while', async () => {
    const { scheduler, pass, times, state, at, testLane } = createTroubledLane(busy(), 1);
    await pass(1_999);
    state.trouble = undefined;
    await pass(1);
    state.trouble = busy();
    scheduler.add({ id: 'next', lane: testLane, group: 'g', nextPollAt: at(4_001) });
    await pass(5_000);
    expect(times()).toEqual([0, 2_000, 4_001, 6_001]);
  });

  it('A lane that was asked to wait starts with a short wait again if the kind of failure changes', async () => {
    const { pass, times, state } = createTroubledLane(busy(), 1);
    await pass(2_000);
    state.trouble = unreachable;
    await pass(6_000);
    expect(times()).toEqual([0, 2_000, 6_000, 8_000]);
  });
});

describe('A lane that is refused', () => {
  it('A lane that is refused sends a probe after half a minute, then doubles the wait up to five minutes', async () => {
    expect(gaps(await probeTimes(refused, 1_200_000))).toEqual([30, 60, 120, 240, 300, 300].map((s) => s * 1_000));
  });

  it('A lane that is refused waits longer, but never shorter, if it is told how long', async () => {
    expect(gaps(await probeTimes({ ...refused, retryAfterMs: 45_000 }, 45_000))).toEqual([45_000]);
    expect(gaps(await probeTimes({ ...refused, retryAfterMs: 1_000 }, 30_000))).toEqual([30_000]);
  });

  it('A lane that is refused delays hints and new tasks, and loses none of them', async () => {
    const { scheduler, pass, times, state, at, testLane } = createTroubledLane(refused, 2);
    await pass(0);
    scheduler.hint('0');
    scheduler.add({ id: 'new', lane: testLane, group: 'g', nextPollAt: at(1_000) });
    scheduler.add({ id: 'gone', lane: testLane, group: 'g', nextPollAt: at(1_000) });
    scheduler.add({ id: 'hinted and gone', lane: testLane, group: 'g', nextPollAt: at(50_000) });
    scheduler.hint('hinted and gone');
    await pass(29_999);
    scheduler.remove('gone');
    scheduler.remove('hinted and gone');
    expect(times()).toEqual([0, 0]);
    state.trouble = undefined;
    await pass(1 + 5_000);
    expect(times().slice(2)[0]).toBe(30_000);
    expect(times()).toHaveLength(5);
    expect(scheduler.size).toBe(3);
  });

  it('A lane that is refused spreads waiting tasks over a few seconds, in turns', async () => {
    const { pass, polls, state } = createTroubledLane(refused, 101);
    await pass(29_999);
    state.trouble = undefined;
    await pass(1 + 5_000);
    const resumedPolls = polls.slice(102);
    expect(resumedPolls).toHaveLength(100);
    expect(gaps(resumedPolls.map(({ at }) => at))).toEqual(Array.from({ length: 99 }, () => 50));
    expect(resumedPolls.slice(0, 4).map(({ ids }) => Number(ids[0]) % 2)).toEqual([1, 0, 1, 0]);
  });

  it('A lane that is refused spreads tasks that fell due during the probe as well', async () => {
    const { scheduler, manualLane, at, pass, pendingPolls } = createFixture();
    const testLane = manualLane('l');
    for (let task = 0; task < 11; task += 1) {
      scheduler.add({ id: `${task}`, lane: testLane, group: 'g', nextPollAt: at(task === 0 ? 0 : 31_000) });
    }
    scheduler.start();
    await pass(0);
    pendingPolls[0]?.answer(refused);
    await pass(32_000);
    pendingPolls[1]?.answer(verdictForAll(['0'], 'done'));
    await pass(5_000);
    const resumed = pendingPolls.slice(2).map((poll) => poll.at - 32_000);
    expect(resumed).toEqual([0, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500]);
  });

  it('A lane that is refused resumes with full polls if it polls several tasks at once', async () => {
    const { pass, polls, state } = createTroubledLane(refused, 110, 10);
    await pass(29_999);
    state.trouble = undefined;
    await pass(1 + 5_000);
    const resumedPolls = polls.slice(12);
    expect(resumedPolls.map(({ ids }) => ids.length)).toEqual(Array.from({ length: 10 }, () => 10));
    expect(resumedPolls.map(({ at }) => at - 30_000)).toEqual([
      0, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500,
    ]);
  });

  it('A lane that is refused resumes with a single poll if one poll can cover any number of tasks', async () => {
    const { scheduler, manualLane, at, pass, pendingPolls } = createFixture();
    const testLane = manualLane('l', Number.POSITIVE_INFINITY);
    for (const [id, due] of [['a', 0] as const, ['b', 31_000] as const, ['c', 31_000] as const]) {
      scheduler.add({ id, lane: testLane, group: 'g', nextPollAt: at(due) });
    }
    scheduler.start();
    await pass(0);
    pendingPolls[0]?.answer(refused);
    await pass(32_000);
    pendingPolls[1]?.answer(verdictForAll(['a'], 'done'));
    await pass(0);
    expect(pendingPolls.slice(2).map(({ ids }) => ids)).toEqual([['b', 'c']]);
  });

  it('A lane that is refused logs once when it pauses and once when it resumes, however many tasks wait', async () => {
    const { scheduler, pass, lines, state, at } = createTroubledLane(refused, 50);
    await pass(100_000);
    expect(scheduler.troubles()).toEqual([{ ...refused, lane: 'l', since: at(0) }]);
    state.trouble = undefined;
    await pass(200_000);
    expect(lines).toEqual([
      {
        level: 'warn',
        message: expect.any(String),
        // The gateway's own message may quote the request, so it is not logged.
        facts: { lane: 'l', kind: 'refused', forMs: 30_000 },
      },
      { level: 'info', message: expect.any(String), facts: { lane: 'l', afterMs: 210_000 } },
    ]);
    expect(scheduler.troubles()).toEqual([]);
  });

  it('A lane that is refused is not reported if no task waits, and is probed with the next task that is added', async () => {
    const { scheduler, pass, times, at, testLane } = createTroubledLane(refused, 1);
    await pass(1_000);
    scheduler.remove('0');
    expect(scheduler.troubles()).toEqual([]);
    await pass(100_000);
    scheduler.add({ id: 'new', lane: testLane, group: 'g', nextPollAt: at(102_000) });
    expect(scheduler.troubles()).toEqual([{ ...refused, lane: 'l', since: at(0) }]);
    await pass(2_000);
    expect(times()).toEqual([0, 102_000]);
  });

  it('A lane that is refused is reported as failing while its probe is in flight', async () => {
    const { scheduler, manualLane, at, pass, pendingPolls } = createFixture();
    scheduler.add({ id: 'a', lane: manualLane('l'), group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(0);
    pendingPolls[0]?.answer(refused);
    await pass(40_000);
    expect(pendingPolls).toHaveLength(2);
    expect(scheduler.troubles()).toHaveLength(1);
    pendingPolls[1]?.answer(verdictForAll(['a'], { again: at(60_000) }));
    await pass(0);
    expect(scheduler.troubles()).toEqual([]);
  });

  it('A lane that is refused is reported with its latest failure and the time of the first', async () => {
    const { scheduler, pass, state, at } = createTroubledLane(refused, 1);
    await pass(29_999);
    state.trouble = unreachable;
    await pass(1);
    expect(scheduler.troubles()).toEqual([{ ...unreachable, lane: 'l', since: at(0) }]);
  });
});

describe('A lane whose polls do not arrive', () => {
  it('A lane whose polls do not arrive polls again after a short gap while this may be a coincidence, and not sooner than requested', async () => {
    for (const [retryAfterMs, expected] of [
      [undefined, 2_000],
      [1_000, 2_000],
      [20_000, 20_000],
    ] as const) {
      const { scheduler, pass, times } = createTroubledLane({ ...unreachable, retryAfterMs }, 1);
      await pass(expected);
      expect(times()).toEqual([0, expected]);
      expect(scheduler.troubles()).toEqual([]);
    }
  });

  it('A lane whose polls do not arrive delays no other lane', async () => {
    for (const trouble of [unreachable, refused]) {
      const polledAt = async (bad: Trouble | undefined): Promise<number[]> => {
        const { scheduler, lane, at, pass, polls, now } = createFixture();
        const again = (ids: readonly string[]) => verdictForAll(ids, { again: at(now() + 2_500) });
        const goodLane = lane('good', again);
        const badLane = lane('bad', (ids) => bad ?? again(ids));
        for (let task = 0; task < 20; task += 1) {
          scheduler.add({ id: `good ${task}`, lane: goodLane, group: 'g', nextPollAt: at(0) });
          scheduler.add({ id: `bad ${task}`, lane: badLane, group: 'g', nextPollAt: at(0) });
        }
        scheduler.start();
        await pass(60_000);
        return polls.filter(({ ids }) => ids[0]?.startsWith('good')).map((poll) => poll.at);
      };
      const baseline = await polledAt(undefined);
      const affected = await polledAt(trouble);
      expect(affected.length).toBeGreaterThanOrEqual(baseline.length);
      for (const [turn, moment] of baseline.entries()) expect(affected[turn]).toBeLessThanOrEqual(moment);
    }
  });

  it('A lane whose polls do not arrive pauses after five failures in a row, and sends probes after increasingly long waits', async () => {
    const moments = await probeTimes(unreachable, 250_000);
    expect(gaps(moments).map((ms) => ms / 1_000)).toEqual([2, 5, 5, 5, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('A lane whose polls do not arrive does not pause when a response arrives in between', async () => {
    const { scheduler, lane, at, pass, polls, now } = createFixture();
    const testLane = lane('l', (ids) =>
      polls.length % 5 === 0 ? verdictForAll(ids, { again: at(now() + 5_000) }) : unreachable,
    );
    scheduler.add({ id: 'a', lane: testLane, group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(100_000);
    expect(polls).toHaveLength(24);
    expect(scheduler.troubles()).toEqual([]);
  });

  it('A lane whose polls do not arrive is resumed by the next task if only the polls of a single task have failed', async () => {
    const { scheduler, lane, at, pass, polls } = createFixture();
    const testLane = lane('l', (ids) => (ids[0] === 'poison' ? unreachable : verdictForAll(ids, 'done')));
    scheduler.add({ id: 'poison', lane: testLane, group: 'g', nextPollAt: at(0) });
    scheduler.add({ id: 'good', lane: testLane, group: 'g', nextPollAt: at(20_000) });
    scheduler.start();
    await pass(23_000);
    expect(polls.slice(-4).map((poll) => [poll.ids[0], poll.at])).toEqual([
      ['poison', 17_000],
      ['poison', 19_000],
      ['good', 23_000],
      ['poison', 23_000],
    ]);
    expect(scheduler.troubles()).toEqual([]);
    expect(scheduler.size).toBe(1);
  });

  it('A lane treats a poll that throws as a failure, with its stack in the log', async () => {
    const { scheduler, lane, at, pass, polls, lines } = createFixture();
    const mistake = new TypeError('a mistake');
    const testLane = lane('l', (ids) => {
      if (polls.length === 1) throw mistake;
      return verdictForAll(ids, 'done');
    });
    scheduler.add({ id: 'a', lane: testLane, group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(5_000);
    expect(polls.map((poll) => poll.at)).toEqual([0, 2_000]);
    expect(lines).toEqual([{ level: 'error', message: expect.any(String), facts: { lane: 'l', err: mistake } }]);
  });

  it('A lane also treats a poll that throws synchronously or returns no verdict as a failure', async () => {
    for (const poll of [
      () => {
        throw new Error('before the first await');
      },
      async () => undefined as never,
      async () => ({}) as never,
      async () => 'garbage' as never,
    ]) {
      const { scheduler, at, pass, lines, lane, polls } = createFixture();
      scheduler.add({ id: 'a', lane: { name: 'bad', max: 1, poll }, group: 'g', nextPollAt: at(0) });
      scheduler.add({
        id: 'b',
        lane: lane('well', (ids) => verdictForAll(ids, 'done')),
        group: 'g',
        nextPollAt: at(1_000),
      });
      scheduler.start();
      await pass(1_000);
      expect(lines.map(({ level }) => level)).toEqual(['error']);
      expect(polls).toHaveLength(1);
      expect(scheduler.size).toBe(1);
    }
  });

  it('A paused lane keeps its pause unchanged when an earlier poll returns', async () => {
    const { scheduler, manualLane, at, pass, pendingPolls } = createFixture();
    const testLane = manualLane('l');
    for (const id of ['a', 'b', 'c']) scheduler.add({ id, lane: testLane, group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(0);
    pendingPolls[0]?.answer(busy(10_000));
    await pass(1_000);
    pendingPolls[1]?.answer(busy(60_000));
    pendingPolls[2]?.answer(verdictForAll(['c'], { again: at(2_000) }));
    await pass(8_999);
    expect(scheduler.troubles()).toHaveLength(1);
    expect(pendingPolls).toHaveLength(3);
    await pass(1);
    expect(pendingPolls).toHaveLength(4);
    await pass(60_000);
    expect(pendingPolls).toHaveLength(4);
  });
});

describe('A poll that fails for some of its tasks', () => {
  /** Polls a, b and c together. The gateway responds about a and c, and the poll of b fails. */
  async function pollInPart(trouble: Trouble, ms: number) {
    const setup = createFixture();
    const testLane: Lane = {
      ...setup.lane('l', () => new Map(), 3),
      async poll(ids) {
        setup.polls.push({ lane: 'l', ids, at: setup.now() });
        return new Map(ids.map((id) => [id, id === 'b' ? trouble : { again: setup.at(setup.now() + 4_000) }]));
      },
    };
    for (const id of ['a', 'b', 'c']) setup.scheduler.add({ id, lane: testLane, group: 'g', nextPollAt: setup.at(0) });
    setup.scheduler.start();
    await setup.pass(ms);
    return { ...setup, timesOf: (id: string) => setup.polls.flatMap(({ ids, at }) => (ids.includes(id) ? [at] : [])) };
  }

  it('A poll that fails for some of its tasks never pauses the lane, although the same task fails each time', async () => {
    const { lines, timesOf, scheduler } = await pollInPart(unreachable, 60_000);
    expect(timesOf('a').slice(0, 4)).toEqual([0, 4_000, 8_000, 12_000]);
    expect(timesOf('b').slice(0, 2)).toEqual([0, 2_000]);
    expect(lines).toEqual([]);
    expect(scheduler.troubles()).toEqual([]);
  });

  it('A poll that the gateway partly refused as too much keeps its results, and still pauses the lane', async () => {
    const { lines, polls, scheduler } = await pollInPart(busy(10_000), 9_999);
    expect(polls).toHaveLength(1);
    expect(lines.map(({ message }) => message)).toContain('Polling of a lane is paused.');
    expect(scheduler.troubles()).toMatchObject([{ kind: 'busy' }]);
  });
});

it('A poll of several requests waits for the limit before each of them, and a stop ends the wait', async () => {
  const { scheduler, pass, at, now, lines } = createFixture({ limits: { perSecond: 1, inFlight: 5 } });
  const requestTimes: number[] = [];
  const testLane: Lane = {
    name: 'l',
    max: 1,
    async poll(ids, permit) {
      for (let count = 0; count < 3; count += 1) {
        await permit();
        requestTimes.push(now());
      }
      return verdictForAll(ids, { again: at(now()) });
    },
  };
  for (const id of ['a', 'b', 'c']) scheduler.add({ id, lane: testLane, group: 'g', nextPollAt: at(0) });
  scheduler.start();
  await pass(300_500);
  expect(requestTimes).toEqual(Array.from({ length: 301 }, (_, second) => second * 1_000));
  expect(lines).toEqual([]);
  await scheduler.stop();
  expect(requestTimes).toHaveLength(301);
});
