import { hundredth } from '../../lib/decimals.ts';
import type { Say } from '../../locales/index.ts';
import type { DayRange } from '../../services/usage/days.ts';
import type { Line, Sheet } from '../../services/usage/sheet.ts';

export type Unit = 'cents' | undefined;

/** With the mark of an estimate, where it is one. */
export function amountText({ amount, isEstimate }: Pick<Line, 'amount' | 'isEstimate'>): string | undefined {
  return amount === undefined ? undefined : `${isEstimate ? '~' : ''}${amount}`;
}

/** The operator tells the unit of the gateway's amounts, not of prices in the bot's own book. */
export function dollarsOf({ subject }: Pick<Sheet, 'subject'>, amount: string | undefined, unit: Unit) {
  return subject === 'account' && unit === 'cents' && amount !== undefined ? hundredth(amount) : undefined;
}

/** As the gateway sent it, and in dollars beside it where its unit is known. */
export function gatewayAmount(amount: string, unit: Unit, say: Say): string {
  return unit === 'cents' ? say('usage.dollars', { amount, dollars: `$${hundredth(amount)}` }) : amount;
}

/** What a line is called where there is room. */
export function labelOf({ label }: Pick<Line, 'label'>, { by }: Pick<Sheet, 'by'>, say: Say): string {
  return label ?? say(`usage.unknown.${by}`);
}

/** Ids of members say nothing to people: pictures and tables number them, and a list beside the table names them. */
export function shortLabel(line: Line, index: number, sheet: Pick<Sheet, 'by'>, say: Say): string {
  return sheet.by === 'member' && line.label !== undefined ? `#${index + 1}` : harmless(labelOf(line, sheet, say));
}

export const rangeText = ({ start, end }: DayRange, say: Say): string =>
  start === end ? start : say('usage.range', { start, end });

/** On one line, and without what would end a block of code, turn the direction of writing, or be no letter at all in a drawing. */
function harmless(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('`', 'ˋ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** Cut in its middle: a model's name begins with its maker and ends with its version, and both tell. */
export function cutInside(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const tail = Math.floor((most - 1) / 2);
  return [...letters.slice(0, most - 1 - tail), '…', ...letters.slice(letters.length - tail)].join('');
}
