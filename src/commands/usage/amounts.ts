import { divideBy100 } from '../../lib/decimals.ts';
import { daysText, decimalText, dollarsText, exactDollars } from '../../lib/formats.ts';
import { endOf, startOf, textWidth } from '../../lib/text-width.ts';
import { kindNameIn, type Say } from '../../locales/index.ts';
import { roundedDollars } from '../../messages/money.ts';
import type { DayRange } from '../../services/money/usage-days.ts';
import type { Sheet, SheetRow } from '../../services/money/usage-sheet.ts';

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
