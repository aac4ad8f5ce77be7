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
  return timePart(now) + randomPart(random(RANDOM_LETTERS));
}

export const isTaskId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{17}$/.test(text);

function timePart(now: number): string {
  let rest = Math.max(0, Math.floor(now));
  let text = '';
  for (let letter = 0; letter < TIME_LETTERS; letter++) {
    text = LETTERS.charAt(rest % LETTERS.length) + text;
    rest = Math.floor(rest / LETTERS.length);
  }
  return text;
}

function randomPart(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');
}
