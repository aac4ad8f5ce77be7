import { compare } from '../../lib/decimals.ts';
import type { Say } from '../../locales/index.ts';
import type { Bar, ChartData } from '../../services/usage/chart.ts';
import { listDays } from '../../services/usage/days.ts';
import { isWithinRange, type Sheet, type SheetRow, totalOf } from '../../services/usage/sheet.ts';
import { amountText, rangeText, shortLabel } from './amounts.ts';

/** The most horizontal bars that can be told apart on a phone; further rows share one bar. */
const MAX_BARS = 10;

/** Draws a sheet as a chart; undefined if there is nothing to compare. */
export function chartOf(sheet: Sheet, say: Say): ChartData | undefined {
  const { by, rows } = sheet;
  const usesAmounts = rows.some(({ amount }) => amount !== undefined);
  const entries = by === 'day' ? dayBars(sheet, usesAmounts) : rankedBars(sheet, usesAmounts, say);
  if (entries.length === 0) return undefined;
  const title = say(`usage.chart.title.${sheet.subject}.${by}`);
  return { title, facts: factsOf(sheet, usesAmounts, say), bars: by === 'day' ? 'upright' : 'lying', entries };
}

/** The chart's description for screen readers. */
export const chartAlt = ({ title, facts }: ChartData, say: Say): string =>
  say('usage.chart.alt', { facts: [title, ...facts].join('. ') });

/** Every day of the range has a bar, because gaps are information too. */
function dayBars({ rows, range }: Sheet, usesAmounts: boolean): Bar[] {
  const rowsByDay = new Map(rows.map((row) => [row.label, row]));
  const hasDays = rows.some(({ label }) => label !== undefined);
  return hasDays ? listDays(range).map((day) => bar(day.slice(5), rowsByDay.get(day), usesAmounts)) : [];
}

function rankedBars(sheet: Sheet, usesAmounts: boolean, say: Say): Bar[] {
  const { rows } = sheet;
  const max = rows.length > MAX_BARS ? MAX_BARS - 1 : MAX_BARS;
  const bars = rows.slice(0, max).map((row, index) => bar(shortLabel(row, index, sheet, say), row, usesAmounts));
  const remainingRows = rows.slice(max);
  if (remainingRows.length === 0) return bars;
  const othersLabel = say('usage.chart.others', { count: remainingRows.length });
  return [...bars, bar(othersLabel, { label: undefined, ...totalOf(remainingRows) }, usesAmounts)];
}

function bar(label: string, row: SheetRow | undefined, usesAmounts: boolean): Bar {
  return { label, amount: measure(row, usesAmounts), text: (row && textOf(row, usesAmounts)) ?? '0' };
}

const measure = (row: SheetRow | undefined, usesAmounts: boolean): string =>
  (usesAmounts ? row?.amount : row?.requests?.toString()) ?? '0';

const textOf = (row: SheetRow, usesAmounts: boolean): string | undefined =>
  usesAmounts ? amountText(row) : row.requests?.toString();

function factsOf(sheet: Sheet, usesAmounts: boolean, say: Say): string[] {
  const { rows, range, total, isEstimate } = sheet;
  const largest = rows.reduce((one, other) =>
    compare(measure(other, usesAmounts), measure(one, usesAmounts)) > 0 ? other : one,
  );
  const totalLine = usesAmounts
    ? say('usage.chart.total', { total: amountText({ amount: total, isEstimate }) ?? '' })
    : say('usage.chart.totalRequests', { count: sheet.requests ?? 0 });
  const label = shortLabel(largest, rows.indexOf(largest), sheet, say);
  const max = textOf(largest, usesAmounts);
  return [
    ...(isWithinRange(sheet) ? [rangeText(range, say)] : []),
    totalLine,
    ...(max === undefined ? [] : [say('usage.chart.largest', { label, amount: max })]),
  ];
}
