import type { FoldedWord } from './fold.ts';

/**
 * Everyday words that are insults without their accents. They do not match unless an admin lists them as they are
 * written here.
 */
const DIFFERENT_WORDS: ReadonlySet<string> = new Set([
  // Spanish, Portuguese, French
  ...['año', 'años', 'añito', 'añitos', 'añejo', 'mamá', 'mamás', 'pitó', 'cágado', 'cágados', 'fût', 'fûts'],
  // German, Swedish
  ...['schwül', 'schwüle', 'schwülem', 'schwülen', 'schwüler', 'schwüles', 'håll'],
  // Romanian, Turkish
  ...['după'],
  ...['şık', 'şıklık', 'sık', 'sıkı', 'sıkça', 'sıkma', 'sıktı', 'sıkıcı', 'sıkıyor', 'sıkıntı', 'sıklık'],
  // Hungarian
  ...['szár', 'szára', 'szárak', 'szárny', 'szárnyak'],
  // Vietnamese
  ...['các', 'lớn', 'lợn', 'đủ', 'dù', 'dự'],
]);

/** With this many letters or fewer, nearly every spelling is a word in some language. */
const MAX_SHORT_LENGTH = 4;

const LATIN = /^\p{Script=Latin}+$/u;

export function isDifferentWord(word: FoldedWord, blocked: FoldedWord): boolean {
  const length = blocked.plain.length;
  // For a blocked prefix, only the same part of the word is compared.
  const writtenText = (word.accented ?? word.plain).slice(0, word.plain.length === length ? undefined : length);
  const blockedText = blocked.accented ?? blocked.plain;
  if (writtenText === blockedText) return false;
  if (DIFFERENT_WORDS.has(writtenText)) return true;
  if (blocked.accented === undefined || length > MAX_SHORT_LENGTH || !LATIN.test(writtenText)) return false;
  // Additional accents are a disguise, but missing ones make a different word.
  const letters = [...writtenText];
  return (
    letters.length === length && [...blockedText].some((letter, index) => letter > 'z' && letter !== letters[index])
  );
}
