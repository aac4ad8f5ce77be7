import { readFileSync } from 'node:fs';
import { once } from '../../lib/once.ts';

/** The characters of the fonts, with one bit for each code point. */
const characters = once(() => readFileSync(new URL('./process/fonts/characters.bits', import.meta.url)));

/** Whether the fonts of charts have every character of a text. */
export function isDrawable(text: string): boolean {
  return [...text].every((character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return ((characters()[codePoint >> 3] ?? 0) >> (codePoint & 7)) % 2 === 1;
  });
}
