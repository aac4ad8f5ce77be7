import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/services/spending/limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createSpending } from './scene.ts';

const clock = new ManualClock(Date.parse('2026-03-18T12:00:00Z'));
const countStart = (member: Limits): string => {
  const settings = { total: {}, server: {}, direct: {}, member };
  const spending = createSpending({ settings, clock });
  return new Date(spending.beginCount().since).toISOString();
};

describe('Counting at start', () => {
  it('At start, entries are counted from the period before the current one, for the longest period with a limit', () => {
    expect(countStart({ day: { tasks: 1 } })).toBe('2026-03-17T00:00:00.000Z');
    expect(countStart({ day: { tasks: 1 }, kinds: { video: { week: { amount: '5' } } } })).toBe(
      '2026-03-09T00:00:00.000Z',
    );
    expect(countStart({ month: { amount: '5' } })).toBe('2026-02-01T00:00:00.000Z');
    expect(countStart({ atOnce: 3 })).toBe('2026-03-18T12:00:00.000Z');
  });
});
