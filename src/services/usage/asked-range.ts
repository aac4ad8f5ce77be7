import { Refusal } from '../../lib/refusal.ts';
import { type DayRange, dayAfter, isDay, lengthOf } from './days.ts';

/** A year and a leap day: what a gateway answers at once, and a table still tells. */
const MOST_DAYS = 366;

/** Without dates: today and the six days before it. */
const USUAL_DAYS = 7;

/** The days that a member asks for, or why they are none. */
export function askedRange(asked: { start: string | undefined; end: string | undefined }, today: string) {
  const typed = { start: asked.start?.trim(), end: asked.end?.trim() };
  for (const day of [typed.start, typed.end]) {
    if (day !== undefined && !isDay(day)) return new Refusal('refusals.usageNoDate', { day });
  }
  const end = typed.end ?? today;
  const start = typed.start ?? dayAfter(end, 1 - USUAL_DAYS);
  const range: DayRange = { start, end };
  // Whoever gives no end means "until today", so a start that lies ahead is no end before its start.
  if (start > today) return new Refusal('refusals.usageAhead', { start, today });
  if (end < start) return new Refusal('refusals.usageEndFirst', { start, end });
  if (lengthOf(range) > MOST_DAYS) {
    return new Refusal('refusals.usageTooLong', { days: String(lengthOf(range)), most: String(MOST_DAYS) });
  }
  return range;
}
