/** An exact decimal amount, because usage has more digits than a float can hold (specification, part 2). */
export type Amount = bigint & { readonly unit: unique symbol };

const DECIMAL_PLACES = 18;

export function amountOf(text: string): Amount {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match || (match[3]?.length ?? 0) > DECIMAL_PLACES)
    throw new RangeError(`Not an amount with at most ${DECIMAL_PLACES} decimal places: ${text}`);
  const units = BigInt(`${match[2]}${(match[3] ?? '').padEnd(DECIMAL_PLACES, '0')}`);
  return (match[1] ? -units : units) as Amount;
}

export const ZERO = amountOf('0');

export const plus = (left: Amount, right: Amount) => (left + right) as Amount;
export const minus = (left: Amount, right: Amount) => (left - right) as Amount;
export const times = (amount: Amount, factor: number) => (amount * BigInt(factor)) as Amount;

export function amountText(amount: Amount): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMAL_PLACES + 1, '0');
  const fraction = digits.slice(-DECIMAL_PLACES).replace(/0{1,18}$/, '');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -DECIMAL_PLACES)}${fraction ? `.${fraction}` : ''}`;
}

// TypeScript's library does not declare `JSON.rawJSON`, but Node has had it since version 22.
const rawJsonNumber = (JSON as unknown as { rawJSON(text: string): object }).rawJSON;

/** A number that `JSON.stringify` writes with exactly these digits. */
export const rawNumber = (text: string): object => rawJsonNumber(text);
export const amountNumber = (amount: Amount): object => rawJsonNumber(amountText(amount));
