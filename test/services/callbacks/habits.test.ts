import { describe, expect, it } from 'vitest';
import { CallbackHabits } from '../../../src/services/callbacks/habits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const day = 24 * 3_600_000;
const both = { progress: true, end: true, any: true };
const silence = { progress: false, end: false, any: false };

function learnt(...tasks: { heard: typeof both; times: number }[]) {
  const clock = new ManualClock();
  const habits = new CallbackHabits(clock);
  for (const { heard, times } of tasks) for (let task = 0; task < times; task += 1) habits.learn('imgx', heard);
  return { clock, habits, name: () => habits.all.find(({ lane }) => lane === 'imgx')?.habit };
}

describe('What a lane calls back', () => {
  it('No callback is expected before one has been seen, and observed callbacks soon count', () => {
    const { habits } = learnt();
    expect(habits.missedShare('imgx')).toBe(1);
    const missedAfter = (times: number): number => learnt({ heard: both, times }).habits.missedShare('imgx');
    expect(missedAfter(5)).toBeLessThan(0.6);
    expect(missedAfter(50)).toBeLessThan(0.01);
    const lost = { ...both, end: false };
    expect(learnt({ heard: both, times: 50 }, { heard: lost, times: 5 }).habits.missedShare('imgx')).toBeGreaterThan(
      0.4,
    );
  });

  it('After 20 tasks without a callback a lane gets no URLs, and after a day it is tried again', () => {
    const { clock, habits, name } = learnt({ heard: both, times: 50 }, { heard: silence, times: 19 });
    expect(habits.isWorthTrying('imgx')).toBe(true);
    habits.learn('imgx', silence);
    expect(habits.isWorthTrying('imgx')).toBe(false);
    expect(habits.missedShare('imgx')).toBe(1);
    expect(name()).toBe('none');
    expect(habits.isWorthTrying('music')).toBe(true);
    clock.advance(day - 1);
    expect(habits.isWorthTrying('imgx')).toBe(false);
    clock.advance(1);
    expect(habits.isWorthTrying('imgx')).toBe(true);
    for (let task = 0; task < 19; task += 1) habits.learn('imgx', silence);
    expect(habits.isWorthTrying('imgx')).toBe(true);
    habits.learn('imgx', silence);
    expect(habits.isWorthTrying('imgx')).toBe(false);
  });

  it('A callback that arrives after the end shows that a lane calls back', () => {
    const { habits } = learnt({ heard: silence, times: 20 });
    habits.noteLate('imgx');
    expect(habits.isWorthTrying('imgx')).toBe(true);
  });

  it('It is learned whether progress, completion, both or nothing is called back', () => {
    expect(learnt({ heard: silence, times: 3 }).name()).toBe('untried');
    expect(learnt({ heard: both, times: 3 }).name()).toBe('both');
    expect(learnt({ heard: { progress: false, end: true, any: true }, times: 3 }).name()).toBe('ends');
    expect(learnt({ heard: { progress: true, end: false, any: true }, times: 30 }).name()).toBe('progress');
    const changed = learnt({ heard: both, times: 60 }, { heard: { ...both, progress: false }, times: 60 });
    expect(changed.name()).toBe('ends');
  });
});
