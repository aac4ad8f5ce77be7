import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lane } from '../../../src/services/orders/polling/lane.ts';
import { ProcessLimits, shareForPartitions } from '../../../src/services/orders/process-limits.ts';
import { bucketIn, createTaskId } from '../../../src/services/tasks/task-id.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const silentLog = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const POLLS_PER_SECOND = 40;

function createLimits(clock: ManualClock, partitionCount = 4) {
  const settings = {
    gateway: { connections: 64, jobsAtOnce: 10 },
    poll: { perSecond: POLLS_PER_SECOND },
    liveLimits: { ask: { all: 6, perMember: 3 }, talk: { all: 2, perMember: 1 } },
  };
  const limits = new ProcessLimits(settings, { clock, log: silentLog }, partitionCount);
  limits.scheduler.start();
  return limits;
}

async function pass(clock: ManualClock, ms: number): Promise<void> {
  clock.advance(ms);
  await turnOfTheLoop();
}

describe('The share of a limit', () => {
  it('The shares of a limit are whole numbers, and sum to the limit when each partition has an owner', () => {
    const owners = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), owners, (limit, ownerByPartition) => {
        const partitionsOf = (worker: number): number[] =>
          ownerByPartition.flatMap((one, partition) => (one === worker ? [partition] : []));
        const shares = [0, 1, 2, 3, 4].map((worker) =>
          shareForPartitions(limit, { partitions: partitionsOf(worker), count: ownerByPartition.length }),
        );
        expect(shares.every(Number.isInteger)).toBe(true);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
      }),
    );
  });
});

describe('Two processes that share a poll budget', () => {
  it('No second has more polls than the budget while partitions move between two processes', async () => {
    const clock = new ManualClock();
    const polls: number[] = [];
    const lane = (): Lane => ({
      name: 'image',
      max: 1,
      async poll(ids) {
        polls.push(clock.now());
        return new Map(ids.map((id) => [id, { again: clock.now() + 2_000 }]));
      },
    });
    const processes = [0, 1].map(() => ({ limits: createLimits(clock), lane: lane(), owned: new Set<number>() }));
    const addTasks = (number: number, { limits, lane: ownLane }: (typeof processes)[number]): void => {
      const { scheduler } = limits;
      for (let task = 0; task < 60; task += 1)
        scheduler.add({
          id: createTaskId(clock.now(), number),
          lane: ownLane,
          group: 'server',
          nextPollAt: clock.now(),
        });
      stops[number] = () => scheduler.removeAll((id) => bucketIn(id) % 4 === number);
    };
    const stops: (() => Promise<void>)[] = [];
    const move = async (number: number, from: number | undefined, to: number): Promise<void> => {
      const previousOwner = from === undefined ? undefined : processes[from];
      previousOwner?.owned.delete(number);
      previousOwner?.limits.setOwnedPartitions([...previousOwner.owned]);
      await stops[number]?.();
      const newOwner = processes[to];
      newOwner?.owned.add(number);
      newOwner?.limits.setOwnedPartitions([...newOwner.owned]);
      if (newOwner) addTasks(number, newOwner);
    };
    for (const number of [0, 1, 2, 3]) await move(number, undefined, number % 2);
    for (const [number, from, to] of [
      [0, 0, 1],
      [2, 0, 1],
      [1, 1, 0],
      [3, 1, 0],
      [0, 1, 0],
    ] as const) {
      for (let step = 0; step < 70; step += 1) await pass(clock, 50);
      await move(number, from, to);
    }
    for (let step = 0; step < 70; step += 1) await pass(clock, 50);
    const maxPerSecond = Math.max(...polls.map((from) => polls.filter((at) => at >= from && at < from + 1_000).length));
    expect(maxPerSecond).toBeLessThanOrEqual(POLLS_PER_SECOND);
    // Nearly the whole budget is used, so nothing else has limited the polls.
    expect(maxPerSecond).toBeGreaterThan(POLLS_PER_SECOND * 0.8);
  });
});
