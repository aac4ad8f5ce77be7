import { describe, expect, it } from 'vitest';
import { ageOfNextPoll, earliestPollAt, maxPolls } from '../../../../src/services/orders/polling/allowance.ts';
import { fastestPollCount } from './promise.ts';

describe('The poll allowance of a task', () => {
  it("The poll allowance of a task equals the number of polls of the specification's fastest schedule, at any age", () => {
    for (let age = -3_000; age < 200_000; age += 250)
      expect([age, maxPolls(age)]).toEqual([age, fastestPollCount(age)]);
  });

  it("The poll allowance of a task permits each poll at the age at which the specification's fastest schedule polls", () => {
    for (let times = 0; times < 60; times += 1) {
      expect(maxPolls(ageOfNextPoll(times))).toBe(times + 1);
      expect(maxPolls(ageOfNextPoll(times) - 1)).toBe(times);
    }
  });

  it.each([
    ['no poll was sent yet', { times: 0, last: Number.NEGATIVE_INFINITY }, 0],
    ['all allowed polls were sent', { times: 5, last: 8_000 }, 10_000],
    ['the first half minute is over', { times: 16, last: 30_000 }, 35_000],
    ['few polls were sent, and the last one was just now', { times: 3, last: 99_000 }, 101_000],
    ['few polls were sent, and the last one was long ago', { times: 3, last: 20_000 }, 22_000],
  ])(
    'The poll allowance of a task permits the next poll at the right moment if %s',
    (_what, { times, last }, expected) => {
      expect(earliestPollAt({ since: 1_000_000, pollCount: times, lastPollAt: 1_000_000 + last })).toBe(
        1_000_000 + expected,
      );
    },
  );
});
