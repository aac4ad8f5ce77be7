import { describe, expect, it } from 'vitest';
import { CallbackHabits } from '../../../src/services/orders/callback-habits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const DAY_MS = 24 * 3_600_000;
const allCallbacks = { hasProgress: true, hasEnd: true, hasAny: true };
const noCallbacks = { hasProgress: false, hasEnd: false, hasAny: false };

function learnFrom(...tasks: { received: typeof allCallbacks; times: number }[]) {
  const clock = new ManualClock();
  const habits = new CallbackHabits(clock);
  for (const { received, times } of tasks) for (let task = 0; task < times; task += 1) habits.learn('imgx', received);
  return { clock, habits, habitName: () => habits.all.find(({ lane }) => lane === 'imgx')?.habit };
}

describe('The callback habits of a lane', () => {
  it('No callback is expected before one has been received, and recent tasks count most', () => {
    const { habits } = learnFrom();
    expect(habits.missedShare('imgx')).toBe(1);
    const missedShareAfter = (times: number): number =>
      learnFrom({ received: allCallbacks, times }).habits.missedShare('imgx');
    expect(missedShareAfter(5)).toBeLessThan(0.6);
    expect(missedShareAfter(50)).toBeLessThan(0.01);
    const callbacksWithoutEnd = { ...allCallbacks, hasEnd: false };
    expect(
      learnFrom({ received: allCallbacks, times: 50 }, { received: callbacksWithoutEnd, times: 5 }).habits.missedShare(
        'imgx',
      ),
    ).toBeGreaterThan(0.4);
  });

  it('Callback URLs are no longer used for a lane after 20 tasks without a callback, and are tried again after a day', () => {
    const { clock, habits, habitName } = learnFrom(
      { received: allCallbacks, times: 50 },
      { received: noCallbacks, times: 19 },
    );
    expect(habits.isWorthTrying('imgx')).toBe(true);
    habits.learn('imgx', noCallbacks);
    expect(habits.isWorthTrying('imgx')).toBe(false);
    expect(habits.missedShare('imgx')).toBe(1);
    expect(habitName()).toBe('none');
    expect(habits.isWorthTrying('music')).toBe(true);
    clock.advance(DAY_MS - 1);
    expect(habits.isWorthTrying('imgx')).toBe(false);
    clock.advance(1);
    expect(habits.isWorthTrying('imgx')).toBe(true);
    for (let task = 0; task < 19; task += 1) habits.learn('imgx', noCallbacks);
    expect(habits.isWorthTrying('imgx')).toBe(true);
    habits.learn('imgx', noCallbacks);
    expect(habits.isWorthTrying('imgx')).toBe(false);
  });

  it('A callback that arrives after the end of its task still shows that callbacks work for the lane', () => {
    const { habits } = learnFrom({ received: noCallbacks, times: 20 });
    habits.noteLateCallback('imgx');
    expect(habits.isWorthTrying('imgx')).toBe(true);
  });

  it('The habit of a lane says whether callbacks report progress, the end, both or neither', () => {
    expect(learnFrom({ received: noCallbacks, times: 3 }).habitName()).toBe('untried');
    expect(learnFrom({ received: allCallbacks, times: 3 }).habitName()).toBe('both');
    expect(learnFrom({ received: { hasProgress: false, hasEnd: true, hasAny: true }, times: 3 }).habitName()).toBe(
      'ends',
    );
    expect(learnFrom({ received: { hasProgress: true, hasEnd: false, hasAny: true }, times: 30 }).habitName()).toBe(
      'progress',
    );
    const changedHabits = learnFrom(
      { received: allCallbacks, times: 60 },
      { received: { ...allCallbacks, hasProgress: false }, times: 60 },
    );
    expect(changedHabits.habitName()).toBe('ends');
  });
});
