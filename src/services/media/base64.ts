import { damaged, tooLarge } from './errors.ts';

const HEAD = /^data:[^,]{0,200};base64,/i;
const LONGEST_HEAD = 300;
const FOREIGN = /[^A-Za-z0-9+/_-]/;
const SPACE = /\s/g;
const BEHIND = /[\s=]/;
const MOST_BEHIND = 1_024;
/** Four letters are three bytes. A piece is looked through and decoded within a millisecond, and then others have their turn. */
const LETTERS = 4;
const PIECE = 64 * 1024 * LETTERS;

/**
 * The bytes of base64 of either alphabet, with or without a data URI's head, piece by piece: a text of many megabytes decoded at
 * once would keep everybody waiting.
 */
export async function* decodedPieces(base64: string, most: number): AsyncGenerator<Buffer> {
  const start = HEAD.exec(base64.slice(0, LONGEST_HEAD))?.[0].length ?? 0;
  // Line breaks add a few per cent; what is twice as long as it may be is not even looked through.
  if (base64.length - start > most * 3 + 1_024) throw tooLarge(most);
  const end = endOfLetters(base64, start);
  let carried = '';
  for (let at = start; at < end; at += PIECE) {
    const letters = carried + base64.slice(at, Math.min(end, at + PIECE)).replace(SPACE, '');
    if (FOREIGN.test(letters)) throw damaged();
    const isLast = at + PIECE >= end;
    // A single letter is no byte.
    if (isLast && letters.length % LETTERS === 1) throw damaged();
    const whole = isLast ? letters.length : letters.length - (letters.length % LETTERS);
    carried = letters.slice(whole);
    yield Buffer.from(letters.slice(0, whole), 'base64');
    await new Promise(setImmediate);
  }
}

/** Padding and the last line's break aside; padding anywhere else is damage. */
function endOfLetters(base64: string, start: number): number {
  const least = Math.max(start, base64.length - MOST_BEHIND);
  let end = base64.length;
  while (end > least && BEHIND.test(base64.charAt(end - 1))) end -= 1;
  return end;
}
