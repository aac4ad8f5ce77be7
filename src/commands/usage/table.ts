import { textWidth } from '../../lib/text-width.ts';
import type { Say } from '../../locales/index.ts';
import type { Sheet } from '../../services/money/usage-sheet.ts';
import { amountText, dollarsOf, shortLabel, truncateMiddle, type Unit } from './amounts.ts';

/** The width of a code block on a phone. */
const PHONE_WIDTH = 36;

/** Enough characters to recognise a model, and for most types of tasks. Labels get what room the numbers leave. */
const MIN_LABEL_WIDTH = 18;
const MIN_KIND_WIDTH = 16;

const GAP = '  ';
const FENCE = '```';

type Column = { head: string; cells: readonly string[] };

interface Layout {
  columns: readonly Column[];
  /** The numbers are below their label if they do not fit next to it. */
  isStacked: boolean;
}

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

/** Columns that do not fit on a phone are left to the CSV file: the dollars go first, then the requests. The amounts always stay. */
function layoutOf({ requests, amount, dollars }: Columns, labelWidth: number): Layout {
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
