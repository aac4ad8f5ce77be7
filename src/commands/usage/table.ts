import type { Say } from '../../locales/index.ts';
import type { Sheet } from '../../services/usage/sheet.ts';
import { amountText, cutMiddle, dollarsOf, shortLabel, type Unit } from './amounts.ts';

/** The width of a code block on a phone. */
const PHONE = 44;

/** Enough of a model's name next to its numbers. */
const MAX_LABEL = 24;

const GAP = '  ';
const FENCE = '```';

type Column = { head: string; cells: readonly string[] };

interface Layout {
  columns: readonly Column[];
  /** The numbers are below their label if they do not fit next to it. */
  isStacked: boolean;
}

/** The first lines of a sheet, aligned in a code block of at most `room` characters; `shown` is their number. */
export function tableOf(sheet: Sheet, unit: Unit, room: number, say: Say): { text: string; shown: number } {
  const head = say(`usage.column.${sheet.by}`);
  const all = sheet.rows.map((line, index) => shortLabel(line, index, sheet, say));
  const besides = Math.min(MAX_LABEL, widest([head, ...all]));
  const { columns, isStacked } = layoutOf(columnsOf(sheet, unit, say), besides);
  const width = isStacked ? PHONE : besides;
  const rowOf = (label: string, cells: readonly string[]): string => {
    const numbers = cells.map((cell, index) => cell.padStart(widthOf(columns[index])));
    const shown = cutMiddle(label, width);
    return isStacked ? `${shown}\n${GAP}${numbers.join(GAP)}` : [shown.padEnd(width), ...numbers].join(GAP);
  };
  const headRow = columns.map((column) => column.head);
  const cellsAt = (index: number): string[] => columns.map(({ cells }) => cells[index] ?? '');
  const rows = [rowOf(head, headRow), ...all.map((label, index) => rowOf(label, cellsAt(index)))];
  let left = room - 2 * (FENCE.length + 1);
  const over = rows.findIndex((row) => {
    left -= row.length + 1;
    return left < 0;
  });
  const kept = over < 0 ? rows : rows.slice(0, over);
  return { text: [FENCE, ...kept, FENCE].join('\n'), shown: Math.max(0, kept.length - 1) };
}

type Columns = Record<'requests' | 'amount' | 'dollars', Column[]>;

function columnsOf(sheet: Sheet, gatewayUnit: Unit, say: Say): Columns {
  const column = (head: string, cells: readonly (string | undefined)[]): Column[] => {
    const isTold = cells.some((cell) => cell !== undefined);
    return isTold ? [{ head, cells: cells.map((cell) => cell ?? '-') }] : [];
  };
  const { rows } = sheet;
  const requests = rows.map((line) => line.requests?.toString());
  const dollars = rows.map(({ amount }) => dollarsOf(sheet, amount, gatewayUnit));
  const unit = sheet.subject === 'account' ? 'amount' : 'dollars';
  return {
    requests: column(say('usage.column.requests'), requests),
    amount: column(say(`usage.column.${unit}`), rows.map(amountText)),
    dollars: column(say('usage.column.dollars'), dollars),
  };
}

/** Columns that do not fit on a phone are only in the CSV: first the dollars, then the requests; amounts always stay. */
function layoutOf({ requests, amount, dollars }: Columns, label: number): Layout {
  const layouts = [
    [...requests, ...amount, ...dollars],
    [...requests, ...amount],
    amount.length > 0 ? amount : requests,
  ];
  const taken = (columns: readonly Column[]): number =>
    columns.reduce((sum, column) => sum + GAP.length + widthOf(column), 0);
  const beside = layouts.find((columns) => label + taken(columns) <= PHONE);
  if (beside) return { columns: beside, isStacked: false };
  const under = layouts.find((columns) => taken(columns) <= PHONE) ?? layouts.at(-1) ?? [];
  return { columns: under, isStacked: true };
}

const widest = (texts: readonly string[]): number => texts.reduce((max, text) => Math.max(max, text.length), 0);
const widthOf = (column: Column | undefined): number => (column ? widest([column.head, ...column.cells]) : 0);
