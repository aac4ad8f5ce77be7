import { randomBytes } from 'node:crypto';

// Crockford's alphabet: sorts like the numbers it stands for, and no two letters look alike.
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LETTERS = 9;
const RANDOM_LETTERS = 8;

/**
 * Seventeen letters: the millisecond, then 40 random bits. Later ids sort after earlier ones, they fit any custom id,
 * and knowing some does not help to guess others.
 */
export function taskId(now: number, random: (bytes: number) => Uint8Array = randomBytes): string {
  const time = Math.max(0, Math.floor(now));
  const digits = Array.from({ length: TIME_LETTERS }, (_, place) => Math.floor(time / LETTERS.length ** place));
  return [...digits.reverse(), ...random(RANDOM_LETTERS)]
    .map((digit) => LETTERS.charAt(digit % LETTERS.length))
    .join('');
}

export const isTaskId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{17}$/.test(text);
