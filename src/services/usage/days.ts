import { dayOf } from '../../lib/clock.ts';

/** Days are days of UTC, `YYYY-MM-DD`, and their order is that of their letters. */
export interface DayRange {
  start: string;
  /** Part of the range. */
  end: string;
}

const DAY_MS = 86_400_000;

export const quickRanges = ['today', 'week', 'month', 'last'] as const;
export type QuickRange = (typeof quickRanges)[number];

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;

export const dayAfter = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);

/** How many days there are, the first and the last counted. */
export const lengthOf = ({ start, end }: DayRange): number => (Date.parse(end) - Date.parse(start)) / DAY_MS + 1;

export const daysOf = (range: DayRange): string[] =>
  Array.from({ length: lengthOf(range) }, (_, index) => dayAfter(range.start, index));

export const holds = ({ start, end }: DayRange, day: string): boolean => start <= day && day <= end;

export function quickRange(name: QuickRange, today: string): DayRange {
  const first = `${today.slice(0, 8)}01`;
  switch (name) {
    case 'today':
      return { start: today, end: today };
    case 'week':
      return { start: dayAfter(today, -6), end: today };
    case 'month':
      return { start: first, end: today };
    case 'last': {
      const end = dayAfter(first, -1);
      return { start: `${end.slice(0, 8)}01`, end };
    }
  }
}
