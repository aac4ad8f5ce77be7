import { divideBy100 } from '../../lib/decimals.ts';
import { daysText, decimalText, dollarsText, exactDollars } from '../../lib/formats.ts';
import { endOf, startOf, textWidth } from '../../lib/text-width.ts';
import { kindNameIn, type Say } from '../../locales/index.ts';
import { roundedDollars } from '../../messages/money.ts';
import type { DayRange } from '../../services/money/usage-days.ts';
import type { Sheet, SheetRow } from '../../services/money/usage-sheet.ts';

/** The width of a code block on a phone. */
const PHONE_WIDTH = 36;

/** Enough characters to recognise a model, and for most types of tasks. Labels get what room the numbers leave. */
const MIN_LABEL_WIDTH = 18;
const MIN_KIND_WIDTH = 16;

const GAP = '  ';
const FENCE = '```';

type Column = { head: string; cells: readonly string[] };

/** Shows the first rows of a sheet in a code block of at most `maxLength` characters, and returns how many rows fit. */
export function tableOf(
  sheet: Sheet,
  { unit, isExact, maxLength }: { unit: Unit; isExact: boolean; maxLength: number },
  say: Say,
): { text: string; rowCount: number } {
  const head = say(`usage.column.${sheet.by}`);
  const labels = sheet.rows.map((row, index) => shortLabel(row, index, sheet, say));
  const labelWidth = maxWidth([head, ...labels]);
  const minLabelWidth = Math.min(sheet.by === 'kind' ? MIN_KIND_WIDTH : MIN_LABEL_WIDTH, labelWidth);
  const { columns, isStacked } = layoutOf(columnsOf(sheet, unit, isExact, say), minLabelWidth);
  const width = isStacked ? 0 : Math.min(labelWidth, PHONE_WIDTH - widthOfAll(columns));
  const rowOf = (label: string, cells: readonly string[]): string => {
    const numbers = cells.map((cell, index) => padding(cell, widthOf(columns[index])) + cell);
    // The name of a type of task is never cut: if it does not fit next to the numbers, it is above them.
    const isAbove = isStacked || (sheet.by === 'kind' && textWidth(label) > width);
    const shownLabel = truncateMiddle(label, isAbove ? PHONE_WIDTH : width);
    const start = isAbove ? '' : shownLabel;
    const line = [start + padding(start, width), ...numbers].join(GAP);
    return isAbove ? `${shownLabel}\n${line}` : line;
  };
  const headRow = columns.map((column) => column.head);
  const cellsAt = (index: number): string[] => columns.map(({ cells }) => cells[index] ?? '');
  const rows = [rowOf(head, headRow), ...labels.map((label, index) => rowOf(label, cellsAt(index)))];
  let remaining = maxLength - 2 * (FENCE.length + 1);
  const firstOverflow = rows.findIndex((row) => {
    remaining -= row.length + 1;
    return remaining < 0;
  });
  const fittingRows = firstOverflow < 0 ? rows : rows.slice(0, firstOverflow);
  return { text: [FENCE, ...fittingRows, FENCE].join('\n'), rowCount: Math.max(0, fittingRows.length - 1) };
}

type Columns = Record<'requests' | 'amount' | 'dollars', Column[]>;

function columnsOf(sheet: Sheet, unit: Unit, isExact: boolean, say: Say): Columns {
  const column = (head: string, cells: readonly (string | undefined)[]): Column[] => {
    const hasValues = cells.some((cell) => cell !== undefined);
    return hasValues ? [{ head, cells: cells.map((cell) => cell ?? '-') }] : [];
  };
  const { rows } = sheet;
  const requests = rows.map((row) => row.requests?.toLocaleString(say.language));
  const dollars = rows.map(({ amount }) => dollarsOf(sheet, amount, unit));
  const amounts = rows.map((row) => amountText(row, sheet, isExact, say));
  return {
    requests: column(say('usage.column.requests'), requests),
    amount: column(
      say(`usage.column.${sheet.subject === 'account' && unit === 'cents' ? 'cents' : 'amount'}`),
      amounts,
    ),
    dollars: column(say('usage.column.dollars'), dollars),
  };
}

/** Columns that do not fit on a phone are left to the CSV file, the dollars first; the amounts always stay. `isStacked`: below their label. */
function layoutOf({ requests, amount, dollars }: Columns, labelWidth: number) {
  const layouts = [
    [...requests, ...amount, ...dollars],
    [...requests, ...amount],
    amount.length > 0 ? amount : requests,
  ];
  const sideBySideColumns = layouts.find((columns) => labelWidth + widthOfAll(columns) <= PHONE_WIDTH);
  if (sideBySideColumns) return { columns: sideBySideColumns, isStacked: false };
  const stackedColumns = layouts.find((columns) => widthOfAll(columns) <= PHONE_WIDTH) ?? layouts.at(-1) ?? [];
  return { columns: stackedColumns, isStacked: true };
}

const padding = (text: string, width: number): string => ' '.repeat(Math.max(0, width - textWidth(text)));
const maxWidth = (strings: readonly string[]): number => Math.max(0, ...strings.map(textWidth));
const widthOf = (column: Column | undefined): number => (column ? maxWidth([column.head, ...column.cells]) : 0);
const widthOfAll = (columns: readonly Column[]): number =>
  columns.reduce((sum, column) => sum + GAP.length + widthOf(column), 0);

export type Unit = 'cents' | undefined;

type Amount = Pick<SheetRow, 'amount' | 'isEstimate'>;

/** An amount for people: the account's with every digit that the gateway sent, the bot's own in dollars, where estimates are marked. */
export function amountText({ amount, isEstimate }: Amount, { subject }: Sheet, isExact: boolean, say: Say) {
  if (amount === undefined) return undefined;
  if (subject === 'account') return decimalText(amount, say);
  const dollars = isExact ? exactDollars(amount, say) : roundedDollars(amount, say);
  return isEstimate ? say('cost.about', { amount: dollars }) : dollars;
}

export function totalText(sheet: Sheet, unit: Unit, isExact: boolean, say: Say): string | undefined {
  const { subject, total } = sheet;
  if (total !== undefined && subject === 'account') return gatewayAmount(total, unit, say);
  return amountText({ ...sheet, amount: total }, sheet, isExact, say);
}

/** `unit` is the configured unit of the gateway's amounts; the bot's own prices are always in dollars. */
export function dollarsOf({ subject }: Sheet, amount: string | undefined, unit: Unit) {
  return subject === 'account' && unit === 'cents' && amount !== undefined ? divideBy100(amount) : undefined;
}

/** The amount with every digit that the gateway sent, and with its unit and in dollars if the unit is known. */
export function gatewayAmount(sent: string, unit: Unit, say: Say): string {
  const amount = decimalText(sent, say);
  return unit === 'cents' ? say('usage.cents', { amount, dollars: dollarsText(divideBy100(sent), say) }) : amount;
}

/** The bot knows which model made each of its tasks, so a task without one used none. */
export function labelOf({ label }: SheetRow, { by, subject }: Sheet, say: Say): string {
  if (label !== undefined) return by === 'kind' ? kindNameIn(say)(label) : label;
  return say(by === 'model' && subject !== 'account' ? 'usage.noModel' : `usage.unknown.${by}`);
}

/** Ids of members and roles mean nothing to a reader, so charts and tables number them, and a list below the table names them. */
const MENTIONS: Partial<Record<Sheet['by'], '@' | '@&'>> = { member: '@', role: '@&' };

export function mentionOf({ label }: SheetRow, { by }: Sheet): string | undefined {
  const prefix = MENTIONS[by];
  return prefix === undefined || label === undefined ? undefined : `<${prefix}${label}>`;
}

export function shortLabel(row: SheetRow, index: number, sheet: Sheet, say: Say): string {
  if (mentionOf(row, sheet) !== undefined) return `#${index + 1}`;
  const label = labelOf(row, sheet, say);
  return sheet.by === 'day' && row.label === label ? daysText(label, label, say) : singleLine(label);
}

export const rangeText = ({ start, end }: DayRange, say: Say): string => daysText(start, end, say);

/** Makes a string a single line, without characters that would end a code block, change the writing direction, or be invisible in a chart. */
function singleLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('`', 'ˋ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** Truncates in the middle, because a model's name starts with its maker and ends with its version. */
export function truncateMiddle(text: string, max: number): string {
  const tail = Math.floor((max - 1) / 2);
  return textWidth(text) <= max ? text : `${startOf(text, max - 1 - tail)}…${endOf(text, tail)}`;
}
