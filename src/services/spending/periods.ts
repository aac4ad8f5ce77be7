import { DAY_MS } from '../../lib/clock.ts';

export const periods = ['day', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

/** A day, a week that begins on Monday, or a month. */
export interface Span {
  /** Equal for all times in the period, and for no other period. */
  key: string;
  startsAt: number;
  endsAt: number;
}

const MAX_KNOWN = 8;

/** Days, weeks and months as people in one time zone count them. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat;
  /** A cache of recently used days: today, and the ends of the previous periods. */
  #known: Record<Period, Span>[] = [];

  constructor(timeZone: string) {
    const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
    this.#format = new Intl.DateTimeFormat('en-CA', { timeZone, hourCycle: 'h23', second: '2-digit', ...fields });
  }

  spanOf(period: Period, at: number): Span {
    return this.spansOf(at)[period];
  }

  spansOf(at: number): Readonly<Record<Period, Span>> {
    const known = this.#known.find(({ day }) => at >= day.startsAt && at < day.endsAt);
    if (known) return known;
    const date = this.#dateOf(at);
    const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
    const monday = addDays(date, -weekday);
    const first = `${date.slice(0, 8)}01`;
    const nextMonth = `${addDays(first, 31).slice(0, 8)}01`;
    const spans = {
      day: this.#span('day', date, addDays(date, 1)),
      week: this.#span('week', monday, addDays(monday, 7)),
      month: this.#span('month', first, nextMonth),
    };
    this.#known = [spans, ...this.#known].slice(0, MAX_KNOWN);
    return spans;
  }

  #span(period: Period, first: string, next: string): Span {
    return { key: `${period} ${first}`, startsAt: this.#startOf(first), endsAt: this.#startOf(next) };
  }

  #dateOf(at: number): string {
    return this.#wallClock(at).date;
  }

  /** When a day begins. If clocks skip midnight, it is the first moment after it. */
  #startOf(date: string): number {
    const utc = Date.parse(`${date}T00:00:00Z`);
    const offsets = [utc - DAY_MS / 2, utc + DAY_MS / 2].map((near) => this.#wallClock(near).utc - near);
    const starts = offsets.map((offset) => utc - offset).filter((start) => this.#wallClock(start).date === date);
    return starts.length === 0 ? utc - Math.min(...offsets) : Math.min(...starts);
  }

  #wallClock(at: number): { date: string; utc: number } {
    const parts = Object.fromEntries(this.#format.formatToParts(at).map(({ type, value }) => [type, value]));
    const date = `${parts.year}-${parts.month}-${parts.day}`;
    const ofSecond = ((at % 1_000) + 1_000) % 1_000;
    return { date, utc: Date.parse(`${date}T${parts.hour}:${parts.minute}:${parts.second}Z`) + ofSecond };
  }
}

const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
