import { compare } from '../../lib/decimals.ts';
import { dollarsText, sentencesText, shortDayText } from '../../lib/formats.ts';
import type { Say } from '../../locales/index.ts';
import type { Bar, ChartData } from '../../services/media/chart.ts';
import { isDrawable } from '../../services/media/is-drawable.ts';
import { listDays } from '../../services/money/usage-days.ts';
import { isWithinRange, type Sheet, type SheetRow, totalOf } from '../../services/money/usage-sheet.ts';
import { amountText, dollarsOf, rangeText, shortLabel, type Unit } from './table.ts';

/** The most horizontal bars that can be told apart on a phone; further rows share one bar. */
const MAX_BARS = 10;

/** What the bars show. */
interface Measure {
  isMoney: boolean;
  /** The unit of amounts that are known to be in dollars. */
  currency: '$' | undefined;
  say: Say;
}

/** Draws a sheet as a chart; undefined if there is nothing to compare. */
export function chartOf(reported: Sheet, unit: Unit, say: Say): ChartData | undefined {
  const sheet = inDollars(reported, unit);
  const { by, rows, subject } = sheet;
  const isMoney = rows.some(({ amount }) => amount !== undefined);
  const isInDollars = isMoney && (subject !== 'account' || unit === 'cents');
  const measure: Measure = { isMoney, currency: isInDollars ? '$' : undefined, say };
  const entries = by === 'day' ? dayBars(sheet, measure) : rankedBars(sheet, measure);
  if (entries.length === 0) return undefined;
  const title = say(`usage.chart.title.${subject}.${by}`);
  const { currency } = measure;
  const bars = by === 'day' ? 'upright' : 'lying';
  return { title, facts: factsOf(sheet, measure), bars, entries, currency, language: say.language };
}

export function chartAlt({ title, facts }: ChartData, say: Say): string {
  const sentences = [title, ...facts].map((fact) => say('usage.chart.fact', { fact }));
  return say('usage.chart.alt', { facts: sentencesText(sentences, say) });
}

/** The account's amounts in dollars, with every digit, if their unit is known. */
function inDollars(sheet: Sheet, unit: Unit): Sheet {
  if (sheet.subject !== 'account' || unit !== 'cents') return sheet;
  const rows = sheet.rows.map((row) => ({ ...row, amount: dollarsOf(sheet, row.amount, unit) }));
  return { ...sheet, rows, total: dollarsOf(sheet, sheet.total, unit) };
}

/** Every day of the range has a bar, because gaps are information too. */
function dayBars(sheet: Sheet, measure: Measure): Bar[] {
  const { rows, range } = sheet;
  const rowsByDay = new Map(rows.map((row) => [row.label, row]));
  const hasDays = rows.some(({ label }) => label !== undefined);
  return hasDays
    ? listDays(range).map((day) => bar(shortDayText(day, measure.say), rowsByDay.get(day), sheet, measure))
    : [];
}

function rankedBars(sheet: Sheet, measure: Measure): Bar[] {
  const { say } = measure;
  const { rows } = sheet;
  const max = rows.length > MAX_BARS ? MAX_BARS - 1 : MAX_BARS;
  const bars = rows.slice(0, max).map((row, index) => bar(labelIn(row, index, sheet, say), row, sheet, measure));
  const remainingRows = rows.slice(max);
  if (remainingRows.length === 0) return bars;
  const othersLabel = say('usage.chart.others', { count: remainingRows.length });
  return [...bars, bar(othersLabel, { label: undefined, ...totalOf(remainingRows) }, sheet, measure)];
}

/** A name with characters that no font has is the number of its row in the table. */
function labelIn(row: SheetRow, index: number, sheet: Sheet, say: Say): string {
  const label = shortLabel(row, index, sheet, say);
  return isDrawable(label) ? label : `#${index + 1}`;
}

function bar(label: string, row: SheetRow | undefined, sheet: Sheet, measure: Measure): Bar {
  return { label, amount: amountOf(row, measure), text: (row && textOf(row, sheet, measure)) ?? '0' };
}

const amountOf = (row: SheetRow | undefined, { isMoney }: Measure): string =>
  (isMoney ? row?.amount : row?.requests?.toString()) ?? '0';

function textOf(row: Omit<SheetRow, 'label'>, sheet: Sheet, { isMoney, currency, say }: Measure): string | undefined {
  if (!isMoney) return row.requests?.toLocaleString(say.language);
  const text = amountText(row, sheet, false, say);
  return text !== undefined && sheet.subject === 'account' && currency ? dollarsText(text, say) : text;
}

function factsOf(sheet: Sheet, measure: Measure): string[] {
  const { say } = measure;
  const { rows, range, requests } = sheet;
  const largest = rows.reduce((one, other) =>
    compare(amountOf(other, measure), amountOf(one, measure)) > 0 ? other : one,
  );
  const totalLine = measure.isMoney
    ? say('usage.chart.total', { total: textOf({ ...sheet, amount: sheet.total }, sheet, measure) ?? '' })
    : say(`usage.chart.${sheet.subject === 'account' ? 'totalRequests' : 'totalTasks'}`, { count: requests ?? 0 });
  const label = labelIn(largest, rows.indexOf(largest), sheet, say);
  const max = textOf(largest, sheet, measure);
  return [
    ...(isWithinRange(sheet) ? [rangeText(range, say)] : []),
    totalLine,
    ...(max === undefined ? [] : [say('usage.chart.largest', { label, amount: max })]),
  ];
}
