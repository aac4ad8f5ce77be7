import Big from 'big.js';

/** Amounts are strings, and sums are exact, with as many decimals as their most precise term. */

/** Longer than any real amount. `1e999999999` is short, but would fill the memory when written out. */
const MAX_LENGTH = 120;
const MAX_POWER = 60;

const DECIMAL = /^[+-]?(?:\d+(?:\.(?<places>\d*))?|\.(?<bare>\d+))(?:[eE](?<power>[+-]?\d+))?$/;

/** The library rejects a plus sign. */
const toBig = (text: string): Big => new Big(text.replace(/^\+/, ''));

export function isDecimal(text: string): text is `${number}` {
  const match = text.length <= MAX_LENGTH ? DECIMAL.exec(text) : null;
  return match !== null && Math.abs(Number(match.groups?.power ?? 0)) <= MAX_POWER;
}

/** The number of decimals as written, trailing zeros included. */
function placesOf(text: string): number {
  const { places, bare, power } = DECIMAL.exec(text)?.groups ?? {};
  return Math.max(0, (places ?? '').length + (bare ?? '').length - Number(power ?? 0));
}

/** The sum of a single amount is that amount unchanged; the sum of none is undefined. */
export function sumOf(amounts: readonly string[]): string | undefined {
  const [first] = amounts;
  if (first === undefined || amounts.length === 1) return first;
  const sum = amounts.reduce((total, text) => total.plus(toBig(text)), toBig('0'));
  return sum.toFixed(amounts.reduce((max, text) => Math.max(max, placesOf(text)), 0));
}

export const difference = (text: string, subtrahend: string): string =>
  toBig(text)
    .minus(toBig(subtrahend))
    .toFixed(Math.max(placesOf(text), placesOf(subtrahend)));

/** The exact product. If all factors but one are 1, that one is returned unchanged; otherwise the product has no trailing zeros. */
export function product(...amounts: readonly string[]): string {
  const factors = amounts.filter((text) => text !== '1');
  const [first = '1'] = factors;
  return factors.length <= 1
    ? first
    : factors.reduce((result, text) => result.times(toBig(text)), toBig('1')).toFixed();
}

/** Written without an exponent; undefined if it is not a decimal, or too long. */
export const toPlainDecimal = (text: string): string | undefined =>
  isDecimal(text) ? toBig(text).toFixed() : undefined;

/** Two decimals, or three digits if that is more precise. What a float adds beyond nine digits does not count. */
const rounded = (text: string, mode: Big.RoundingMode): string =>
  toBig(text)
    .round(Math.max(9, 8 - magnitude(text)))
    .round(Math.max(2, 2 - magnitude(text)), mode)
    .toFixed();

/** Never less than the amount. */
export const roundUp = (text: string): string => rounded(text, Big.roundUp);

/** Never more than the amount. */
export const roundDown = (text: string): string => rounded(text, Big.roundDown);

/** With at least two decimals, the usual form of an amount of money. */
export const withCents = (text: string): string => toBig(text).toFixed(Math.max(2, placesOf(text)));

export const largestOf = (amounts: readonly string[]): string | undefined =>
  amounts.reduce<string | undefined>(
    (max, text) => (max === undefined || compare(text, max) > 0 ? text : max),
    undefined,
  );

export const compare = (one: string, other: string): number => toBig(one).cmp(toBig(other));
export const isZero = (text: string): boolean => compare(text, '0') === 0;

/** Moves the decimal point, so every digit is preserved. */
export const divideBy100 = (text: string): string =>
  toBig(text)
    .times('0.01')
    .toFixed(placesOf(text) + 2);

/** The power of ten of the first digit; 0 for zero. */
export const magnitude = (text: string): number => (isZero(text) ? 0 : toBig(text).e);

/** The value in units of 10 to the `power`. Inexact, so only for drawing. */
export const inUnitsOf = (text: string, power: number): number => Number(toBig(text).times(`1e${-power}`).toString());
