import { describe, expect, it } from 'vitest';
import { GatewayError, type GatewayErrorKind } from '../../../../src/services/gateway/errors.ts';
import { specSchedule } from '../../../../src/services/orders/polling/schedule.ts';
import { pollErrorMeaning } from '../../../../src/services/orders/tracker.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { buildTask, minute, start } from '../builders.ts';

const runningTask = (changes: Partial<Task['times']> = {}): Task =>
  buildTask({ state: 'running', times: { created: start, accepted: start, ...changes } });

const gapAt = (task: Task, now: number): number => specSchedule(task, now) - now;

describe("The specification's schedule", () => {
  it.each([
    [0, 2_500],
    [29_999, 2_500],
    [30_000, 7_500],
    [4 * minute, 7_500],
  ])("At %i ms after the submit the specification's schedule waits %i ms", (age, gap) => {
    expect(gapAt(runningTask(), start + age)).toBe(gap);
  });

  it("The specification's schedule is slower after a task becomes overdue, and slower still after an hour", () => {
    expect(gapAt(runningTask({ overdue: start + 5 * minute }), start + 6 * minute)).toBe(30_000);
    expect(gapAt(runningTask({ overdue: start + 5 * minute }), start + 61 * minute)).toBe(5 * minute);
  });
});

describe('A failed poll', () => {
  const meanings: Record<GatewayErrorKind, string> = {
    'not-found': 'not-known',
    malformed: 'nothing',
    invalid: 'nothing',
    'rate-limited': 'busy',
    unauthorized: 'refused',
    quota: 'refused',
    forbidden: 'refused',
    'not-offered': 'refused',
    unavailable: 'unreachable',
    unreachable: 'unreachable',
  };

  it.each(Object.entries(meanings))(
    'A poll that failed because of %s means "%s", and never the end of a task',
    (kind, meaning) => {
      const actualMeaning = pollErrorMeaning(
        new GatewayError('no', { kind: kind as GatewayErrorKind, retryAfterMs: 7 }),
      );
      expect(typeof actualMeaning === 'string' ? actualMeaning : actualMeaning.kind).toBe(meaning);
      if (typeof actualMeaning !== 'string') expect(actualMeaning).toMatchObject({ retryAfterMs: 7, reason: 'no' });
    },
  );
});
