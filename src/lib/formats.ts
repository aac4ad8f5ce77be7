import { isDecimal, withCents } from './decimals.ts';

/** Numbers, durations, money and lists as readers of a language write them. What other programs read, and what members type, has one form. */

/** The language that sentences are said in. */
interface Reader {
  readonly language: string;
}

/** The number of decimals that Intl can show. */
const MAX_DECIMALS = 100;

/** Creating a formatter takes many times as long as using it, so one is kept for each language. */
function keptFormatter<Formatter>(create: (language: string) => Formatter): (reader: Reader) => Formatter {
  const formatters = new Map<string, Formatter>();
  return ({ language }) => {
    const formatter = formatters.get(language) ?? create(language);
    formatters.set(language, formatter);
    return formatter;
  };
}

const keptNumbers = (options?: Intl.NumberFormatOptions) =>
  keptFormatter((language) => new Intl.NumberFormat(language, options));

const counts = keptNumbers();
const percents = keptNumbers({ style: 'percent' });
const milliseconds = keptNumbers({ style: 'unit', unit: 'millisecond' });
const seconds = keptNumbers({ style: 'unit', unit: 'second' });
const durations = keptFormatter((language) => new Intl.DurationFormat(language, { style: 'short' }));

export const countText = (count: number | string, reader: Reader): string => counts(reader).format(Number(count));

export const percentText = (percent: number, reader: Reader): string => percents(reader).format(percent / 100);

/** In the short form of the language; from an hour on without seconds. */
export function durationText(duration: number, reader: Reader): string {
  if (duration > 0 && duration < 1) return milliseconds(reader).format(Math.round(duration * 1_000));
  if (duration < 60) return seconds(reader).format(duration);
  const total = Math.round(duration);
  return durations(reader).format({
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

/** With every digit that the amount has. */
export function dollarsText(amount: string, { language }: Reader): string {
  if (!isDecimal(amount)) return amount;
  const decimals = Math.min(MAX_DECIMALS, amount.split('.')[1]?.length ?? 0);
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(amount);
}

/** With at least two decimals, the usual form of an amount of money. */
export const exactDollars = (amount: string, reader: Reader): string => dollarsText(withCents(amount), reader);
