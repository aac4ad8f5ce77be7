import type { Say } from '../../../locales/index.ts';
import type { Sheet } from '../../../services/usage/sheet.ts';
import { amountText, dollarsOf, labelOf, type Unit } from './amounts.ts';

/** RFC 4180: every line of the sheet with every digit. */
export function csvOf(sheet: Sheet, unit: Unit, say: Say): Buffer {
  const withDollars = sheet.lines.some(({ amount }) => dollarsOf(sheet, amount, unit) !== undefined);
  const head = [
    ...[sheet.by, 'requests', 'amount'],
    ...(withDollars ? ['dollars'] : []),
    ...(sheet.isEstimate ? ['estimate'] : []),
  ];
  const rows = sheet.lines.map((line) => [
    labelOf(line, sheet, say),
    line.requests === undefined ? '' : String(line.requests),
    amountText({ ...line, isEstimate: false }) ?? '',
    ...(withDollars ? [dollarsOf(sheet, line.amount, unit) ?? ''] : []),
    ...(sheet.isEstimate ? [line.isEstimate ? 'yes' : 'no'] : []),
  ]);
  return Buffer.from([head, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join(''));
}

/**
 * What begins like a formula would be reckoned by the program that opens the file, and could send it elsewhere; an apostrophe makes it text.
 * A number with a sign is just a number.
 */
function field(text: string): string {
  const isFormula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) && !/^[+-]?[\d.]+(?:[eE][+-]?\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
