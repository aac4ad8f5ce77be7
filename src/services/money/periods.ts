import { DAY_MS, dayOf } from '../../lib/clock.ts';
import { addDays } from './usage-days.ts';

export const periods = ['day', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

/** A day, a week that begins on Monday, or a month. */
export interface Span {
  /** The same for all times in the period, and unique to it. */
  key: string;
  startsAt: number;
  endsAt: number;
}

const MAX_CACHED_DAYS = 8;

/** Days, weeks and months as people in one time zone count them. */
export class Calendar {
  /** Undefined in UTC, for which no conversion is needed: Intl takes 8 MB. */
  readonly #format: Intl.DateTimeFormat | undefined;
  #cachedDays: Record<Period, Span>[] = [];

  constructor(timeZone: string) {
    if (timeZone === 'UTC') return;
    const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
    this.#format = new Intl.DateTimeFormat('en-CA', { timeZone, hourCycle: 'h23', second: '2-digit', ...fields });
  }

  spanOf(period: Period, at: number): Span {
    return this.spansOf(at)[period];
  }

  previousSpanOf(period: Period, at: number): Span {
    return this.spanOf(period, this.spanOf(period, at).startsAt - 1);
  }

  spansOf(at: number): Readonly<Record<Period, Span>> {
    const cached = this.#cachedDays.find(({ day }) => at >= day.startsAt && at < day.endsAt);
    if (cached) return cached;
    const date = this.#dateOf(at);
    const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
    const monday = addDays(date, -weekday);
    const firstOfMonth = `${date.slice(0, 8)}01`;
    const nextMonth = `${addDays(firstOfMonth, 31).slice(0, 8)}01`;
    const spans = {
      day: this.#span('day', date, addDays(date, 1)),
      week: this.#span('week', monday, addDays(monday, 7)),
      month: this.#span('month', firstOfMonth, nextMonth),
    };
    this.#cachedDays = [spans, ...this.#cachedDays].slice(0, MAX_CACHED_DAYS);
    return spans;
  }

  #span(period: Period, firstDay: string, nextDay: string): Span {
    return { key: `${period} ${firstDay}`, startsAt: this.#startOf(firstDay), endsAt: this.#startOf(nextDay) };
  }

  #dateOf(at: number): string {
    return this.#wallClock(at).date;
  }

  /** When a day begins. If clocks skip midnight, the day begins at the first moment after the gap. */
  #startOf(date: string): number {
    const utc = Date.parse(`${date}T00:00:00Z`);
    const offsets = [utc - DAY_MS / 2, utc + DAY_MS / 2].map((guess) => this.#wallClock(guess).utc - guess);
    const starts = offsets.map((offset) => utc - offset).filter((start) => this.#wallClock(start).date === date);
    return starts.length === 0 ? utc - Math.min(...offsets) : Math.min(...starts);
  }

  #wallClock(at: number): { date: string; utc: number } {
    if (!this.#format) return { date: dayOf(at), utc: at };
    const parts = Object.fromEntries(this.#format.formatToParts(at).map(({ type, value }) => [type, value]));
    const date = `${parts.year}-${parts.month}-${parts.day}`;
    const milliseconds = ((at % 1_000) + 1_000) % 1_000;
    return { date, utc: Date.parse(`${date}T${parts.hour}:${parts.minute}:${parts.second}Z`) + milliseconds };
  }
}
