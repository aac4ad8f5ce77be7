import { DAY_MS, dayOf } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';

/** Days in UTC in the form `YYYY-MM-DD`, so that they can be sorted as text. */
export interface DayRange {
  start: string;
  /** The last day of the range, which is part of it. */
  end: string;
}

export const quickRanges = ['today', 'week', 'month', 'last'] as const;
export type QuickRange = (typeof quickRanges)[number];

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;

export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);

/** The number of days, including the first and the last. */
export const countDays = ({ start, end }: DayRange): number => (Date.parse(end) - Date.parse(start)) / DAY_MS + 1;

export const listDays = (range: DayRange): string[] =>
  Array.from({ length: countDays(range) }, (_, index) => addDays(range.start, index));

export const includesDay = ({ start, end }: DayRange, day: string): boolean => start <= day && day <= end;

export function quickRange(name: QuickRange, today: string): DayRange {
  const firstOfMonth = (day: string): string => `${day.slice(0, 8)}01`;
  const lastMonth = addDays(firstOfMonth(today), -1);
  const ranges = {
    today: { start: today, end: today },
    week: { start: addDays(today, -6), end: today },
    month: { start: firstOfMonth(today), end: today },
    last: { start: firstOfMonth(lastMonth), end: lastMonth },
  };
  return ranges[name];
}

/** The length of a leap year, which gateways still return in one response and a table can still show. */
const MAX_DAYS = 366;

/** The default range is today and the six days before. */
const DEFAULT_DAYS = 7;

export function parseRange(input: { start: string | undefined; end: string | undefined }, today: string) {
  const dates = { start: input.start?.trim(), end: input.end?.trim() };
  for (const day of [dates.start, dates.end]) {
    if (day !== undefined && !isDay(day)) return new Refusal('refusals.usageDateInvalid', { day });
  }
  const end = dates.end ?? today;
  const start = dates.start ?? addDays(end, 1 - DEFAULT_DAYS);
  const range: DayRange = { start, end };
  // If no end is given, the range ends today, so a start in the future needs a separate message.
  if (start > today) return new Refusal('refusals.usageAhead', { start, today });
  if (end < start) return new Refusal('refusals.usageEndFirst', { start, end });
  const days = countDays(range);
  if (days > MAX_DAYS) return new Refusal('refusals.usageTooLong', { days, max: MAX_DAYS });
  return range;
}
