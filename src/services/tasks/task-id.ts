import { randomBytes, randomInt } from 'node:crypto';

// Crockford's alphabet sorts in the order of the numbers, and no two of its letters look alike.
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LETTERS = 9;
const RANDOM_LETTERS = 6;
const BUCKET_LETTERS = 2;
/** The number of buckets. Their purpose is explained in homes.ts. */
export const BUCKETS = LETTERS.length ** BUCKET_LETTERS;

/**
 * Consists of the millisecond, 30 random bits and the bucket (see homes.ts). Ids sort by time, fit into any custom id, and cannot be
 * guessed from others.
 */
export function taskId(
  now: number,
  bucket = randomInt(BUCKETS),
  random: (bytes: number) => Uint8Array = randomBytes,
): string {
  return (
    inLetters(Math.max(0, Math.floor(now)), TIME_LETTERS) + randomLetters(random) + inLetters(bucket, BUCKET_LETTERS)
  );
}

/** Returns an id that sorts before all ids of tasks that were created at this time or later. */
export const earliestTaskId = (at: number): string => taskId(at, 0, (bytes) => new Uint8Array(bytes));

export const isTaskId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{17}$/.test(text);

const randomLetters = (random: (bytes: number) => Uint8Array): string =>
  Array.from(random(RANDOM_LETTERS), (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');

function inLetters(value: number, length: number): string {
  const digits = Array.from({ length }, (_, place) => Math.floor(value / LETTERS.length ** place));
  return digits
    .reverse()
    .map((digit) => LETTERS.charAt(digit % LETTERS.length))
    .join('');
}

export function bucketIn(id: string): number {
  const [high = '', low = ''] = id.slice(-BUCKET_LETTERS);
  return LETTERS.indexOf(high) * LETTERS.length + LETTERS.indexOf(low);
}
