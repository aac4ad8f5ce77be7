import { describe, expect, it } from 'vitest';
import { estimateWait, remainingMs } from '../../../../src/services/orders/submission/slots.ts';

describe('The estimate of a wait', () => {
  it.each([
    ['the end of the first running task', 2, [50, 30], [], 30],
    ['the tasks before it too, each in the slot that becomes free first', 2, [50, 30], [10, 10, 100], 50],
    ['nothing while a slot is free', 3, [50, 30], [], 0],
    ['slots that are free for those before it', 3, [50, 30], [20], 20],
    ['more ends if fewer slots are left than tasks run', 1, [50, 30, 70], [], 70],
  ])('A task waits for %s', (_, slots, left, ahead, expected) => {
    expect(estimateWait(slots, left, ahead)).toBe(expected);
  });

  it('Nothing is said of a running task whose usual duration is unknown or long over', () => {
    expect([remainingMs(undefined, 5), remainingMs(10, 21), remainingMs(10, 4), remainingMs(10, 15)]).toEqual([
      undefined,
      undefined,
      6,
      0,
    ]);
  });
});
