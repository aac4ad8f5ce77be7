import { randomBytes } from 'node:crypto';

// Crockford's alphabet: it sorts like the numbers, and no two letters look alike.
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LETTERS = 9;
const RANDOM_LETTERS = 8;

/** The millisecond, then 40 random bits: ids sort by time, fit any custom id, and cannot be guessed from others. */
export function taskId(now: number, random: (bytes: number) => Uint8Array = randomBytes): string {
  const time = Math.max(0, Math.floor(now));
  const digits = Array.from({ length: TIME_LETTERS }, (_, place) => Math.floor(time / LETTERS.length ** place));
  return [...digits.reverse(), ...random(RANDOM_LETTERS)]
    .map((digit) => LETTERS.charAt(digit % LETTERS.length))
    .join('');
}

export const isTaskId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{17}$/.test(text);
