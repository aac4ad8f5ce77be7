import { describe, expect, it } from 'vitest';
import { createEntry } from '../../../../src/services/money/entry.ts';
import { Calendar } from '../../../../src/services/money/periods.ts';
import { Tally } from '../../../../src/services/money/spending/tally.ts';
import { makeTask } from '../../store/store-fixture.ts';

const calendar = new Calendar('UTC');
const entryAt = (time: string) =>
  createEntry(
    makeTask({ estimate: { amount: '0.10', source: 'operator', at: 0 }, times: { created: Date.parse(time) } }),
  );
const monthKey = (time: string): string => calendar.spanOf('month', Date.parse(time)).key;

describe('A tally', () => {
  it('A tally drops periods that have ended, and late changes to their entries have no effect', () => {
    const tally = new Tally(calendar, new Set(['month']));
    const [oldEntry, recentEntry] = [entryAt('2026-01-15T12:00:00Z'), entryAt('2026-02-15T12:00:00Z')];
    for (const entry of [oldEntry, recentEntry]) tally.replace(undefined, entry, ['total']);
    expect(tally.use('total', monthKey('2026-01-15'))).toEqual({ tasks: 1, amount: '0.10' });
    tally.prune(Date.parse('2026-02-01T00:00:01Z'));
    expect(tally.use('total', monthKey('2026-01-15'))).toEqual({ tasks: 0, amount: '0' });
    expect(tally.use('total', monthKey('2026-02-15'))).toEqual({ tasks: 1, amount: '0.10' });
    expect(tally.openTasks('total')).toBe(2);
    tally.replace(oldEntry, undefined, ['total']);
    expect(tally.openTasks('total')).toBe(1);
    expect(tally.use('total', monthKey('2026-01-15'))).toEqual({ tasks: 0, amount: '0' });
  });
});
