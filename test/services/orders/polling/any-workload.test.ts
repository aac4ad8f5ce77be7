import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pause } from '../../../../src/lib/clock.ts';
import type { Lane, RequestPermit, Trouble, Verdict } from '../../../../src/services/orders/polling/lane.ts';
import { runs } from '../../../support/runs.ts';
import { createFixture } from './fixture.ts';

const outcome = fc.oneof(
  { weight: 6, arbitrary: fc.constant('answer' as const) },
  fc.constant('partly' as const),
  fc.constant('failed-in-part' as const),
  fc.constant('throw' as const),
  fc.constantFrom<Trouble['kind']>('busy', 'refused', 'unreachable'),
);

const workload = fc.record({
  perSecond: fc.integer({ min: 1, max: 40 }),
  inFlight: fc.integer({ min: 1, max: 8 }),
  lanes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
  tasks: fc.array(
    fc.record({
      lane: fc.nat(),
      group: fc.integer({ min: 0, max: 4 }),
      at: fc.integer({ min: -1_000, max: 20_000 }),
      gap: fc.integer({ min: -100, max: 8_000 }),
    }),
    { minLength: 1, maxLength: 40 },
  ),
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 40 }),
  /** The number of requests of each poll. */
  requests: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 10 }),
  delays: fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 10 }),
  /** Calls from outside, each after a delay: hints, removals, repeated additions. */
  interventions: fc.array(
    fc.record({
      wait: fc.integer({ min: 0, max: 3_000 }),
      do: fc.constantFrom('hint' as const, 'remove' as const, 'add' as const),
      task: fc.nat(),
    }),
    { maxLength: 20 },
  ),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
});

type Workload = typeof workload extends fc.Arbitrary<infer T> ? T : never;

/** Runs the workload. Polls cycle through the outcomes and the delays in order until the failures end. */
async function run({ perSecond, inFlight, lanes, tasks, outcomes, requests, delays, interventions, random }: Workload) {
  const setup = createFixture({ limits: { perSecond, inFlight }, random: () => random });
  const { scheduler, time, at, now, pass } = setup;
  const requestTimes: number[] = [];
  let pollCount = 0;
  const activePolls = new Map<string, number>();
  const state = { haveFailuresEnded: false, underWay: 0, maxUnderWay: 0, maxPerTask: 0, wasEmpty: false };
  const gapOf = (id: string): number => tasks[Number(id)]?.gap ?? 0;

  async function poll(ids: readonly string[], permit: RequestPermit) {
    const turn = pollCount++;
    state.underWay += 1;
    state.maxUnderWay = Math.max(state.maxUnderWay, state.underWay);
    state.wasEmpty ||= ids.length === 0;
    for (const id of ids) {
      activePolls.set(id, (activePolls.get(id) ?? 0) + 1);
      state.maxPerTask = Math.max(state.maxPerTask, activePolls.get(id) ?? 0);
    }
    try {
      for (let sent = 0; sent < (requests[turn % requests.length] ?? 1); sent += 1) {
        await permit();
        requestTimes.push(now());
        await pause(time, delays[turn % delays.length] ?? 0);
      }
      return respond(ids, turn);
    } finally {
      for (const id of ids) activePolls.set(id, (activePolls.get(id) ?? 0) - 1);
      state.underWay -= 1;
    }
  }

  function respond(ids: readonly string[], turn: number): ReadonlyMap<string, Verdict | Trouble> | Trouble {
    const kind = state.haveFailuresEnded ? 'answer' : outcomes[turn % outcomes.length];
    if (kind === 'throw') throw new Error('a mistake');
    if (kind === 'busy' || kind === 'refused' || kind === 'unreachable') return { kind, reason: 'trouble' };
    const listed = kind === 'partly' ? ids.slice(1) : ids;
    const verdicts = new Map<string, Verdict | Trouble>(
      listed.map((id) => [id, state.haveFailuresEnded ? 'done' : { again: at(now() + gapOf(id)) }]),
    );
    const [first = ''] = ids;
    return kind === 'failed-in-part' ? verdicts.set(first, { kind: 'unreachable', reason: 'trouble' }) : verdicts;
  }

  const testLanes: Lane[] = lanes.map((max, index) => ({ name: `${index}`, max, poll }));
  const followed = new Set<string>();
  const add = (id: string): void => {
    const task = tasks[Number(id)];
    const lane = testLanes[(task?.lane ?? 0) % testLanes.length];
    if (!task || !lane) return;
    followed.add(id);
    scheduler.add({ id, lane, group: `${task.group}`, nextPollAt: at(now() + task.at) });
  };
  for (const id of tasks.keys()) add(`${id}`);
  scheduler.start();
  for (const one of interventions) {
    await pass(one.wait);
    const id = `${one.task % tasks.length}`;
    if (one.do === 'hint') scheduler.hint(id);
    else if (one.do === 'add') add(id);
    else {
      scheduler.remove(id);
      followed.delete(id);
    }
  }
  return { ...setup, requestTimes, state, followed };
}

describe('The scheduler under any workload and any failures', () => {
  it('The scheduler loses no task: once the gateway responds again, every task ends', async () => {
    await fc.assert(
      fc.asyncProperty(workload, async (work) => {
        const { scheduler, followed, state, pass, timers } = await run(work);
        expect(scheduler.size).toBe(followed.size);
        await pass(20_000);
        expect(scheduler.size).toBe(followed.size);
        state.haveFailuresEnded = true;
        // The longest pause, the time over which polls are spread after it, the longest gap, and some margin.
        await pass(300_000 + 5_000 + 60_000 + serialPollTime(work));
        expect(scheduler.size).toBe(0);
        expect(scheduler.troubles()).toEqual([]);
        await pass(10_000);
        expect(timers.count).toBe(0);
        await scheduler.stop();
      }),
      { numRuns: runs(200, 100) },
    );
  });

  it('The scheduler never exceeds the budget, however many requests a poll sends, and sends no poll without a task', async () => {
    await fc.assert(
      fc.asyncProperty(workload, async (work) => {
        const { requestTimes, state, pass, scheduler } = await run(work);
        await pass(30_000);
        for (const [index, from] of requestTimes.entries()) {
          expect(requestTimes.slice(index).filter((at) => at < from + 1_000).length).toBeLessThanOrEqual(
            work.perSecond,
          );
        }
        expect(state.maxUnderWay).toBeLessThanOrEqual(work.inFlight);
        expect(state.wasEmpty).toBe(false);
        const stopped = scheduler.stop();
        await pass(5_000);
        await stopped;
      }),
      { numRuns: runs(200, 100) },
    );
  });

  it('The scheduler never polls the same task twice at once, unless it is added again', async () => {
    await fc.assert(
      fc.asyncProperty(workload, async (work) => {
        const interventions = work.interventions.filter((one) => one.do === 'hint');
        const { state, pass } = await run({ ...work, interventions });
        await pass(30_000);
        expect(state.maxPerTask).toBe(1);
      }),
      { numRuns: runs(200, 100) },
    );
  });
});

/** How long it takes to poll every task separately, one after another. */
function serialPollTime({ tasks, perSecond, delays, requests }: Workload): number {
  return tasks.length * Math.max(...requests) * (Math.max(...delays) + 1_000 / perSecond);
}
