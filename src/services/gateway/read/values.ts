/** How single values are read: tolerant of gateways that send numbers as text and text as numbers. */

/** Text that says something. Numbers become text, digit by digit as they were sent. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}

export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** A decimal amount as text with exactly the digits that were sent. */
export function asAmount(value: unknown): string | undefined {
  const text = asText(value);
  return text !== undefined && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? text : undefined;
}

/** Percent, 0 to 100. `"45%"`, `45` and `0.45` all mean 45; a whole 1 means one percent. */
export function asProgress(value: unknown): number | undefined {
  const text = asText(value)?.replace(/%$/, '').trim();
  const number = asNumber(text);
  if (text === undefined || number === undefined) return undefined;
  const isFraction = number > 0 && number <= 1 && text.includes('.') && asText(value) === text;
  // Hundredths have no exact binary form: 0.07 × 100 is a little more than 7.
  const percent = isFraction ? Number((number * 100).toPrecision(12)) : number;
  return Math.min(100, Math.max(0, percent));
}

const FIRST_MILLISECOND_STAMP = 1e12;
/** ECMA-262 knows no later date. */
const LAST_STAMP = 8.64e15;

/** Milliseconds since the epoch, from milliseconds, seconds or an ISO date. */
export function asTime(value: unknown): number | undefined {
  const number = asNumber(value);
  if (number !== undefined) {
    if (number <= 0 || number > LAST_STAMP) return undefined;
    return Math.round(number >= FIRST_MILLISECOND_STAMP ? number : number * 1000);
  }
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
