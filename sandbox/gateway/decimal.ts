import { withoutEnd } from '../../src/lib/text.ts';

/** Exact decimal amounts: usage carries every digit (specification, part 2), which no float does. */
export type Amount = bigint & { readonly unit: unique symbol };

const PLACES = 18;

export function amountOf(text: string): Amount {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match || (match[3]?.length ?? 0) > PLACES)
    throw new RangeError(`Not an amount of at most ${PLACES} places: ${text}`);
  const units = BigInt(`${match[2]}${(match[3] ?? '').padEnd(PLACES, '0')}`);
  return (match[1] ? -units : units) as Amount;
}

export const NOTHING = amountOf('0');

export const plus = (one: Amount, other: Amount) => (one + other) as Amount;
export const minus = (one: Amount, other: Amount) => (one - other) as Amount;
export const times = (amount: Amount, whole: number) => (amount * BigInt(whole)) as Amount;

export function amountText(amount: Amount): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(PLACES + 1, '0');
  const fraction = withoutEnd(digits.slice(-PLACES), '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction ? `.${fraction}` : ''}`;
}

// Missing in TypeScript's library, there since Node 22.
const exactNumber = (JSON as unknown as { rawJSON(text: string): object }).rawJSON;

/** A number that `JSON.stringify` writes digit for digit. */
export const rawNumber = (text: string): object => exactNumber(text);
export const amountNumber = (amount: Amount): object => exactNumber(amountText(amount));
