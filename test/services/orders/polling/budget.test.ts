import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PollCapacity } from '../../../../src/services/orders/polling/capacity.ts';
import { createFixture } from './fixture.ts';

/** Starts as many polls at each of these moments as are demanded and allowed, and returns their times. */
function startPolls(
  budget: PollCapacity,
  moments: readonly { wait: number; demand: number }[],
  startedAt = 1_000_000,
): number[] {
  const pollTimes: number[] = [];
  let now = startedAt;
  for (const { wait, demand } of moments) {
    now += wait;
    for (let index = 0; index < demand && budget.opensAt(now) <= now; index += 1) {
      budget.begin(now);
      budget.end();
      pollTimes.push(now);
    }
  }
  return pollTimes;
}

const maxWithin = (pollTimes: readonly number[], ms: number): number =>
  Math.max(0, ...pollTimes.map((from, index) => pollTimes.slice(index).filter((at) => at < from + ms).length));

describe('The poll budget', () => {
  it('The poll budget is never exceeded within a second, under any demand', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.record({ wait: fc.integer({ min: 0, max: 400 }), demand: fc.integer({ min: 0, max: 100 }) }), {
          maxLength: 60,
        }),
        (perSecond, moments) => {
          const budget = new PollCapacity({ perSecond, inFlight: 1 });
          expect(maxWithin(startPolls(budget, moments), 1_000)).toBeLessThanOrEqual(perSecond);
        },
      ),
    );
  });

  it('A changing poll budget is never exceeded: no second has more polls than the larger limit allows', () => {
    const moment = fc.record({ wait: fc.integer({ min: 0, max: 200 }), demand: fc.integer({ min: 0, max: 100 }) });
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 2, maxLength: 2 }),
        fc.array(moment, { maxLength: 30 }),
        fc.array(moment, { maxLength: 30 }),
        ([first = 1, second = 1], firstMoments, secondMoments) => {
          const budget = new PollCapacity({ perSecond: first, inFlight: 1 });
          const pollTimes = startPolls(budget, firstMoments);
          const changedAt = 1_000_000 + firstMoments.reduce((sum, { wait }) => sum + wait, 0);
          budget.setLimits({ perSecond: second, inFlight: 1 }, changedAt);
          pollTimes.push(...startPolls(budget, secondMoments, changedAt));
          expect(maxWithin(pollTimes, 1_000)).toBeLessThanOrEqual(Math.max(first, second));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([1, 2, 3, 7, 10, 19, 33, 50, 57, 99, 1_000])(
    'The poll budget is used up and not exceeded under constant demand: %i a second',
    (perSecond) => {
      const moments = Array.from({ length: 5_000 }, () => ({ wait: 1, demand: perSecond }));
      const pollTimes = startPolls(new PollCapacity({ perSecond, inFlight: 1 }), moments);
      expect(pollTimes.length / 5).toBeGreaterThan(perSecond * 0.9);
      expect(maxWithin(pollTimes, 1_000)).toBeLessThanOrEqual(perSecond);
    },
  );

  it('The poll budget spreads the polls of a second', () => {
    const moments = [{ wait: 0, demand: 100 }];
    expect(startPolls(new PollCapacity({ perSecond: 50, inFlight: 1 }), moments)).toHaveLength(5);
  });

  it('The poll budget may be less than one poll a second', () => {
    const pollTimes = startPolls(
      new PollCapacity({ perSecond: 0.2, inFlight: 1 }),
      Array.from({ length: 200 }, () => ({ wait: 100, demand: 1 })),
    );
    expect(pollTimes.map((at) => at - 1_000_000)).toEqual([100, 5_100, 10_100, 15_100]);
  });

  it('The poll budget holds polls back while too many are in flight', () => {
    const budget = new PollCapacity({ perSecond: 1_000, inFlight: 2 });
    budget.begin(0);
    expect(budget.opensAt(0)).toBeLessThanOrEqual(0);
    budget.begin(0);
    expect(budget.opensAt(0)).toBe(Number.POSITIVE_INFINITY);
    budget.end();
    expect(budget.opensAt(0)).toBeLessThanOrEqual(0);
  });

  it.each([
    { perSecond: 0 },
    { perSecond: -1 },
    { perSecond: Number.NaN },
    { perSecond: Number.POSITIVE_INFINITY },
    { inFlight: 0 },
    { inFlight: Number.NaN },
  ])('The poll budget is refused when it is invalid: %o', (limits) => {
    expect(() => createFixture({ limits })).toThrow(RangeError);
  });
});
