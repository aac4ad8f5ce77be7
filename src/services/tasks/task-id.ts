import { randomBytes, randomInt } from 'node:crypto';

// Crockford's alphabet sorts in the order of the numbers, and no two of its characters look alike.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;
const RANDOM_LENGTH = 6;
const BUCKET_LENGTH = 2;
/** The number of buckets. Their purpose is explained in homes.ts. */
export const BUCKETS = ALPHABET.length ** BUCKET_LENGTH;

/**
 * Creates an id from the millisecond, 30 random bits and the bucket (see homes.ts). Ids sort by time, fit into any custom id, and cannot be
 * guessed from others.
 */
export function createTaskId(
  now: number,
  bucket = randomInt(BUCKETS),
  random: (bytes: number) => Uint8Array = randomBytes,
): string {
  return encode(Math.max(0, Math.floor(now)), TIME_LENGTH) + randomCharacters(random) + encode(bucket, BUCKET_LENGTH);
}

/** Returns an id that sorts before all ids of tasks that were created at this time or later. */
export const earliestTaskId = (at: number): string => createTaskId(at, 0, (bytes) => new Uint8Array(bytes));

export const isTaskId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{17}$/.test(text);

const randomCharacters = (random: (bytes: number) => Uint8Array): string =>
  Array.from(random(RANDOM_LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');

function encode(value: number, length: number): string {
  const digits = Array.from({ length }, (_, place) => Math.floor(value / ALPHABET.length ** place));
  return digits
    .reverse()
    .map((digit) => ALPHABET.charAt(digit % ALPHABET.length))
    .join('');
}

export function bucketIn(id: string): number {
  const [high = '', low = ''] = id.slice(-BUCKET_LENGTH);
  return ALPHABET.indexOf(high) * ALPHABET.length + ALPHABET.indexOf(low);
}
