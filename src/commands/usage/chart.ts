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
  const ofAmounts = rows.some(({ amount }) => amount !== undefined);
  const entries = by === 'day' ? dayBars(sheet, ofAmounts) : rankedBars(sheet, ofAmounts, say);
  if (entries.length === 0) return undefined;
  const title = say(`usage.chart.title.${sheet.subject}.${by}`);
  return { title, facts: factsOf(sheet, ofAmounts, say), bars: by === 'day' ? 'upright' : 'lying', entries };
}

/** The chart's description for screen readers. */
export const chartAlt = ({ title, facts }: ChartData, say: Say): string =>
  say('usage.chart.alt', { facts: [title, ...facts].join('. ') });

/** Every day of the range has a bar, because gaps are information too. */
function dayBars({ rows, range }: Sheet, ofAmounts: boolean): Bar[] {
  const rowsByDay = new Map(rows.map((line) => [line.label, line]));
  const hasDays = rows.some(({ label }) => label !== undefined);
  return hasDays ? listDays(range).map((day) => bar(day.slice(5), rowsByDay.get(day), ofAmounts)) : [];
}

function rankedBars(sheet: Sheet, ofAmounts: boolean, say: Say): Bar[] {
  const { rows } = sheet;
  const max = rows.length > MAX_BARS ? MAX_BARS - 1 : MAX_BARS;
  const bars = rows.slice(0, max).map((line, index) => bar(shortLabel(line, index, sheet, say), line, ofAmounts));
  const rest = rows.slice(max);
  if (rest.length === 0) return bars;
  const others = say('usage.chart.others', { count: rest.length });
  return [...bars, bar(others, { label: undefined, ...totalOf(rest) }, ofAmounts)];
}

function bar(label: string, line: SheetRow | undefined, ofAmounts: boolean): Bar {
  return { label, amount: measure(line, ofAmounts), text: (line && textOf(line, ofAmounts)) ?? '0' };
}

const measure = (line: SheetRow | undefined, ofAmounts: boolean): string =>
  (ofAmounts ? line?.amount : line?.requests?.toString()) ?? '0';

const textOf = (line: SheetRow, ofAmounts: boolean): string | undefined =>
  ofAmounts ? amountText(line) : line.requests?.toString();

function factsOf(sheet: Sheet, ofAmounts: boolean, say: Say): string[] {
  const { rows, range, total, isEstimate } = sheet;
  const largest = rows.reduce((one, other) =>
    compare(measure(other, ofAmounts), measure(one, ofAmounts)) > 0 ? other : one,
  );
  const whole = ofAmounts
    ? say('usage.chart.total', { total: amountText({ amount: total, isEstimate }) ?? '' })
    : say('usage.chart.totalRequests', { count: sheet.requests ?? 0 });
  const label = shortLabel(largest, rows.indexOf(largest), sheet, say);
  const max = textOf(largest, ofAmounts);
  return [
    ...(isWithinRange(sheet) ? [rangeText(range, say)] : []),
    whole,
    ...(max === undefined ? [] : [say('usage.chart.largest', { label, amount: max })]),
  ];
}
