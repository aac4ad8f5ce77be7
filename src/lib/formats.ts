import { isDecimal, withCents } from './decimals.ts';

/** Numbers, durations, money and lists as readers of a language write them. What other programs read, and what members type, has one form. */

/** The language that sentences are said in. */
interface Reader {
  readonly language: string;
}

/** The number of decimals that Intl can show. */
const MAX_DECIMALS = 100;

const numberFormats = new Map<string, Intl.NumberFormat>();

/** Creating a format takes many times as long as using it, so each is kept. */
function numberText(value: number, language: string, options: Intl.NumberFormatOptions = {}): string {
  const key = `${language} ${options.style} ${options.unit}`;
  const format = numberFormats.get(key) ?? new Intl.NumberFormat(language, options);
  numberFormats.set(key, format);
  return format.format(value);
}

export const countText = (count: number | string, { language }: Reader): string => numberText(Number(count), language);

export const percentText = (percent: number, { language }: Reader): string =>
  numberText(percent / 100, language, { style: 'percent' });

/** In the short form of the language; from an hour on without seconds. */
export function durationText(seconds: number, { language }: Reader): string {
  if (seconds > 0 && seconds < 1)
    return numberText(Math.round(seconds * 1_000), language, { style: 'unit', unit: 'millisecond' });
  if (seconds < 60) return numberText(seconds, language, { style: 'unit', unit: 'second' });
  const total = Math.round(seconds);
  return new Intl.DurationFormat(language, { style: 'short' }).format({
    hours: Math.floor(total / 3_600),
    minutes: Math.floor(total / 60) % 60,
    seconds: total < 3_600 ? total % 60 : 0,
  });
}

const utcDays = ({ language }: Reader, options: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }) =>
  new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });

/** Days as `2026-01-31`, which are days in UTC. */
export const daysText = (start: string, end: string, reader: Reader): string =>
  utcDays(reader).formatRange(Date.parse(start), Date.parse(end));

/** A time in UTC, of the same length for all times of a year. */
export const utcTimeText = (at: number, reader: Reader): string =>
  utcDays(reader, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(at);

/** Without the year. */
export const shortDayText = (day: string, reader: Reader): string =>
  utcDays(reader, { month: 'numeric', day: 'numeric' }).format(Date.parse(day));

export const listText = (items: readonly string[], { language }: Reader): string =>
  new Intl.ListFormat(language, { style: 'narrow' }).format(items);

/** Chinese and Japanese have no spaces after punctuation, and punctuation of their own. */
const isSpaced = ({ language }: Reader): boolean => language !== 'ja' && language !== 'zh-CN';

export const sentencesText = (sentences: readonly string[], reader: Reader): string =>
  sentences.join(isSpaced(reader) ? ' ' : '');

export const clausesText = (clauses: readonly string[], reader: Reader): string =>
  clauses.join(isSpaced(reader) ? '; ' : '；');

/** With every digit that the amount has; unless it is money, without groups, which would make a column of long numbers too wide. */
export function decimalText(
  amount: string,
  { language }: Reader,
  options: Intl.NumberFormatOptions = { useGrouping: false },
): string {
  if (!isDecimal(amount)) return amount;
  const decimals = Math.min(MAX_DECIMALS, amount.split('.')[1]?.length ?? 0);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(language, { ...options, ...digits }).format(amount);
}

/** With every digit that the amount has. */
export const dollarsText = (amount: string, reader: Reader): string =>
  decimalText(amount, reader, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' });

/** With at least two decimals, the usual form of an amount of money. */
export const exactDollars = (amount: string, reader: Reader): string => dollarsText(withCents(amount), reader);
