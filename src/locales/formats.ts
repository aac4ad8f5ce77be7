import { isDecimal, withCents } from '../lib/decimals.ts';
import type { Say } from './index.ts';

/** Numbers, money and lists as readers of a language write them. What other programs read, and what members type, has one form. */

/** The number of decimals that Intl can show. */
const MAX_DECIMALS = 100;

export const countText = (count: number | string, { language }: Say): string => Number(count).toLocaleString(language);

export const percentText = (percent: number, { language }: Say): string =>
  (percent / 100).toLocaleString(language, { style: 'percent' });

export const listText = (items: readonly string[], { language }: Say): string =>
  new Intl.ListFormat(language, { style: 'narrow' }).format(items);

/** With every digit that the amount has. */
export function dollarsText(amount: string, { language }: { readonly language: string }): string {
  if (!isDecimal(amount)) return amount;
  const decimals = Math.min(MAX_DECIMALS, amount.split('.')[1]?.length ?? 0);
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    useGrouping: false,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(amount);
}

/** With at least two decimals, the usual form of an amount of money. */
export const exactDollars = (amount: string, say: Say): string => dollarsText(withCents(amount), say);
