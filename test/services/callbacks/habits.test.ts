import { describe, expect, it } from 'vitest';
import { CallbackHabits } from '../../../src/services/callbacks/habits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const DAY_MS = 24 * 3_600_000;
const allCallbacks = { progress: true, hasEnd: true, hasAny: true };
const noCallbacks = { progress: false, hasEnd: false, hasAny: false };

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
    const missedAfter = (times: number): number =>
      learnFrom({ received: allCallbacks, times }).habits.missedShare('imgx');
    expect(missedAfter(5)).toBeLessThan(0.6);
    expect(missedAfter(50)).toBeLessThan(0.01);
    const withoutEnd = { ...allCallbacks, hasEnd: false };
    expect(
      learnFrom({ received: allCallbacks, times: 50 }, { received: withoutEnd, times: 5 }).habits.missedShare('imgx'),
    ).toBeGreaterThan(0.4);
  });

  it('A lane gets no callback URLs after 20 tasks without a callback, and is tried again after a day', () => {
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

  it('A callback that arrives after the end shows that a lane calls back', () => {
    const { habits } = learnFrom({ received: noCallbacks, times: 20 });
    habits.noteLate('imgx');
    expect(habits.isWorthTrying('imgx')).toBe(true);
  });

  it('The habit of a lane says whether it calls back progress, the end, both or nothing', () => {
    expect(learnFrom({ received: noCallbacks, times: 3 }).habitName()).toBe('untried');
    expect(learnFrom({ received: allCallbacks, times: 3 }).habitName()).toBe('both');
    expect(learnFrom({ received: { progress: false, hasEnd: true, hasAny: true }, times: 3 }).habitName()).toBe('ends');
    expect(learnFrom({ received: { progress: true, hasEnd: false, hasAny: true }, times: 30 }).habitName()).toBe(
      'progress',
    );
    const changed = learnFrom(
      { received: allCallbacks, times: 60 },
      { received: { ...allCallbacks, progress: false }, times: 60 },
    );
    expect(changed.habitName()).toBe('ends');
  });
});
