import { describe, expect, it } from 'vitest';
import { ageOfNextPoll, earliestPollAt, maxPolls } from '../../../src/services/polling/allowance.ts';
import { fastest } from './promise.ts';

describe('the allowance of a task', () => {
  it('The allowance of a task is what the specification’s fastest schedule would have asked, at any age', () => {
    for (let age = -3_000; age < 200_000; age += 250) expect([age, maxPolls(age)]).toEqual([age, fastest(age)]);
  });

  it('The allowance of a task opens for each question at the very age at which that schedule asks it', () => {
    for (let times = 0; times < 60; times += 1) {
      expect(maxPolls(ageOfNextPoll(times))).toBe(times + 1);
      expect(maxPolls(ageOfNextPoll(times) - 1)).toBe(times);
    }
  });

  it.each([
    ['nothing was asked yet', { times: 0, last: Number.NEGATIVE_INFINITY }, 0],
    ['all was asked that could be', { times: 5, last: 8_000 }, 10_000],
    ['the half minute is over', { times: 16, last: 30_000 }, 35_000],
    ['much was not asked, and the last question was just now', { times: 3, last: 99_000 }, 101_000],
    ['much was not asked, and the last question was long ago', { times: 3, last: 20_000 }, 22_000],
  ])('The allowance of a task opens, where %s, at the right moment', (_what, { times, last }, expected) => {
    expect(earliestPollAt({ since: 1_000_000, times, last: 1_000_000 + last })).toBe(1_000_000 + expected);
  });
});
