import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/lib/refusal.ts';
import { countDays, isDay, listDays, parseRange, quickRange } from '../../../src/services/money/usage-days.ts';

const today = '2028-03-01';
const rangeOf = (start?: string, end?: string) => parseRange({ start, end }, today);

describe('A date range', () => {
  it('A date range covers the last seven days by default, or seven days up to a given end', () => {
    expect(rangeOf()).toEqual({ start: '2028-02-24', end: today });
    expect(rangeOf(undefined, '2028-02-10')).toEqual({ start: '2028-02-04', end: '2028-02-10' });
    expect(rangeOf(' 2028-02-29 ')).toEqual({ start: '2028-02-29', end: today });
  });

  it('A date range may span a year and a leap day, but not one day more', () => {
    expect(rangeOf('2027-03-02')).toMatchObject({ start: '2027-03-02' });
    expect(countDays({ start: '2027-03-02', end: today })).toBe(366);
    expect(rangeOf('2027-03-01')).toMatchObject({
      key: 'refusals.usageTooLong',
      variables: { days: 367, max: 366 },
    });
  });

  it('A date range may end after today, but not begin after today', () => {
    expect(rangeOf(today, '2028-03-31')).toEqual({ start: today, end: '2028-03-31' });
    expect(rangeOf('2028-03-02')).toMatchObject({ key: 'refusals.usageAhead' });
    expect(rangeOf(undefined, '2028-03-31')).toMatchObject({ key: 'refusals.usageAhead' });
  });

  it.each([
    '',
    'today',
    '2028-02-30',
    '2027-02-29',
    '28-01-01',
    '2028-1-1',
    '2028-13-01',
    '+02028-01-01',
    '2028-01-01T00:00',
  ])('A date range is refused with %j as a date', (text) => {
    expect(isDay(text)).toBe(false);
    const refusal = rangeOf(text, today);
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ key: 'refusals.usageDateInvalid', variables: { day: text } });
  });
});

it('Quick ranges are correct across a leap day and a new year', () => {
  expect(quickRange('today', today)).toEqual({ start: today, end: today });
  expect(quickRange('week', today)).toEqual({ start: '2028-02-24', end: today });
  expect(quickRange('month', today)).toEqual({ start: today, end: today });
  expect(quickRange('last', today)).toEqual({ start: '2028-02-01', end: '2028-02-29' });
  expect(quickRange('last', '2028-01-31')).toEqual({ start: '2027-12-01', end: '2027-12-31' });
  expect(listDays(quickRange('week', today))).toHaveLength(7);
});
