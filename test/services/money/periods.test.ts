import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Calendar, periods } from '../../../src/services/money/periods.ts';
import { runs } from '../../support/runs.ts';

const iso = (at: number): string => new Date(at).toISOString();

describe('A calendar', () => {
  it('A calendar has days, weeks that begin on Monday, and months in UTC', () => {
    const { day, week, month } = new Calendar('UTC').spansOf(Date.parse('2026-03-01T12:00:00Z'));
    expect([iso(day.startsAt), iso(day.endsAt)]).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z']);
    expect([iso(week.startsAt), iso(week.endsAt)]).toEqual(['2026-02-23T00:00:00.000Z', '2026-03-02T00:00:00.000Z']);
    expect([iso(month.startsAt), iso(month.endsAt)]).toEqual(['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T10:00:00Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T10:00:00Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'],
    ['Asia/Kolkata', '2026-01-01T00:00:00Z', '2025-12-31T18:30:00.000Z', '2026-01-01T18:30:00.000Z'],
  ])('A calendar uses the local day of %s at %s', (zone, now, start, end) => {
    const { startsAt, endsAt } = new Calendar(zone).spanOf('day', Date.parse(now));
    expect([iso(startsAt), iso(endsAt)]).toEqual([start, end]);
  });

  it('Every moment is in exactly one day, week and month, which follow each other without a gap', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Pacific/Apia', 'Asia/Kolkata');
    const moments = fc.integer({ min: Date.parse('2010-01-01'), max: Date.parse('2040-01-01') });
    fc.assert(
      fc.property(zones, moments, (zone, at) => {
        const calendar = new Calendar(zone);
        for (const period of periods) {
          const span = calendar.spanOf(period, at);
          expect(span.startsAt <= at && at < span.endsAt).toBe(true);
          expect(calendar.spanOf(period, span.endsAt).startsAt).toBe(span.endsAt);
          expect(calendar.spanOf(period, span.endsAt - 1).key).toBe(span.key);
          expect(calendar.spanOf(period, span.startsAt).key).toBe(span.key);
        }
      }),
      { numRuns: runs(300, 50) },
    );
  });
});
