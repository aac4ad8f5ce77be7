import Big from 'big.js';

/**
 * Amounts are text, and every sum of them is exact: no float, nothing rounded. A sum keeps as many places as its longest part,
 * so `1.10` and `2.20` make `3.30`.
 */

/** No amount of anything has more; `1e999999999` is short, and written out would fill the memory. */
const LONGEST = 120;
const LARGEST_POWER = 60;

const DECIMAL = /^[+-]?(?:\d+(?:\.(?<places>\d*))?|\.(?<bare>\d+))(?:[eE](?<power>[+-]?\d+))?$/;

/** The library knows no plus sign. */
const big = (text: string): Big => new Big(text.replace(/^\+/, ''));

/** Whether a text can be summed here. */
export function isDecimal(text: string): boolean {
  const found = text.length <= LONGEST ? DECIMAL.exec(text) : null;
  return found !== null && Math.abs(Number(found.groups?.power ?? 0)) <= LARGEST_POWER;
}

/** The places behind the point as they were written, zeros at the end included. */
function placesOf(text: string): number {
  const { places, bare, power } = DECIMAL.exec(text)?.groups ?? {};
  return Math.max(0, (places ?? '').length + (bare ?? '').length - Number(power ?? 0));
}

/** The sum of one is that one, letter by letter; the sum of none is undefined. */
export function sumOf(texts: readonly string[]): string | undefined {
  const [first] = texts;
  if (first === undefined || texts.length === 1) return first;
  const sum = texts.reduce((so, text) => so.plus(big(text)), big('0'));
  return sum.toFixed(texts.reduce((most, text) => Math.max(most, placesOf(text)), 0));
}

export const difference = (text: string, taken: string): string =>
  big(text)
    .minus(big(taken))
    .toFixed(Math.max(placesOf(text), placesOf(taken)));

export const compared = (one: string, other: string): number => big(one).cmp(big(other));
export const isZero = (text: string): boolean => compared(text, '0') === 0;

/** A hundredth, by moving the point: no digit comes or goes. */
export const hundredth = (text: string): string =>
  big(text)
    .times('0.01')
    .toFixed(placesOf(text) + 2);

/** The power of ten of the first digit; 0 for nothing at all. */
export const magnitude = (text: string): number => (isZero(text) ? 0 : big(text).e);

/** How large it is when 10 to the `power` is one. Good for drawing, and for nothing else. */
export const drawn = (text: string, power: number): number => Number(big(text).times(`1e${-power}`).toString());
