import Big from 'big.js';

/** Amounts are text, and sums are exact, with as many decimals as the most precise part. */

/** Longer than any real amount. `1e999999999` is short, but would fill the memory when written out. */
const MAX_LENGTH = 120;
const MAX_POWER = 60;

const DECIMAL = /^[+-]?(?:\d+(?:\.(?<places>\d*))?|\.(?<bare>\d+))(?:[eE](?<power>[+-]?\d+))?$/;

/** The library rejects a plus sign. */
const big = (text: string): Big => new Big(text.replace(/^\+/, ''));

export function isDecimal(text: string): boolean {
  const found = text.length <= MAX_LENGTH ? DECIMAL.exec(text) : null;
  return found !== null && Math.abs(Number(found.groups?.power ?? 0)) <= MAX_POWER;
}

/** The number of decimals as written, trailing zeros included. */
function placesOf(text: string): number {
  const { places, bare, power } = DECIMAL.exec(text)?.groups ?? {};
  return Math.max(0, (places ?? '').length + (bare ?? '').length - Number(power ?? 0));
}

/** The sum of a single text is that text unchanged; the sum of none is undefined. */
export function sumOf(texts: readonly string[]): string | undefined {
  const [first] = texts;
  if (first === undefined || texts.length === 1) return first;
  const sum = texts.reduce((total, text) => total.plus(big(text)), big('0'));
  return sum.toFixed(texts.reduce((max, text) => Math.max(max, placesOf(text)), 0));
}

export const difference = (text: string, taken: string): string =>
  big(text)
    .minus(big(taken))
    .toFixed(Math.max(placesOf(text), placesOf(taken)));

/** The exact product. If all factors but one are 1, that text is returned unchanged; otherwise without trailing zeros. */
export function product(...texts: readonly string[]): string {
  const factors = texts.filter((text) => text !== '1');
  const [first = '1'] = factors;
  return factors.length <= 1 ? first : factors.reduce((result, text) => result.times(big(text)), big('1')).toFixed();
}

/** Written without an exponent; undefined if it is not a decimal, or too long. */
export const writtenOut = (text: string): string | undefined => (isDecimal(text) ? big(text).toFixed() : undefined);

/** Never less than the amount: two decimals, or three digits if that is more precise. */
export const roundedUp = (text: string): string =>
  big(text)
    .round(Math.max(2, 2 - magnitude(text)), Big.roundUp)
    .toFixed();

/** With at most four decimals, and never more than the amount. */
export const roundedDown = (text: string): string => big(text).round(4, Big.roundDown).toFixed();

/** With at least two decimals, the usual form of an amount of money. */
export const withCents = (text: string): string => big(text).toFixed(Math.max(2, placesOf(text)));

export const largestOf = (texts: readonly string[]): string | undefined =>
  texts.reduce<string | undefined>(
    (max, text) => (max === undefined || compare(text, max) > 0 ? text : max),
    undefined,
  );

export const compare = (one: string, other: string): number => big(one).cmp(big(other));
export const isZero = (text: string): boolean => compare(text, '0') === 0;

/** Moves the decimal point, so every digit is preserved. */
export const hundredth = (text: string): string =>
  big(text)
    .times('0.01')
    .toFixed(placesOf(text) + 2);

/** The power of ten of the first digit; 0 for zero. */
export const magnitude = (text: string): number => (isZero(text) ? 0 : big(text).e);

/** The value in units of 10 to the `power`. Inexact, so only for drawing. */
export const inUnitsOf = (text: string, power: number): number => Number(big(text).times(`1e${-power}`).toString());
