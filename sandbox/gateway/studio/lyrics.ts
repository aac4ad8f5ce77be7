import { isStopWord, wordsOf } from '../prompt-words.ts';
import { diceOf, itemAt, seedOf } from './random.ts';

const FALLBACK_WORDS = ['quiet', 'morning', 'window', 'river'];
const MAX_WORD_LENGTH = 24;

const TITLES = ['Song of the A', 'A and B', 'A little A'] as const;
const OPENINGS = ['There is A beyond the B', 'I counted A, I counted B', 'Between the A and the B'] as const;
const TURNS = [
  'and the evening keeps its A warm',
  'and nothing hurries the A',
  'and slowly the A comes round',
] as const;

/** Song lyrics made from the words of the prompt; the first line says that they come from the sandbox. */
export function lyricsOf(prompt: string, seed: number): { title: string; lyrics: string } {
  const distinctiveWords = [...new Set(wordsOf(prompt).filter((word) => !isStopWord(word) && word.length > 2))];
  const words = (distinctiveWords.length > 0 ? distinctiveWords : FALLBACK_WORDS).map((word) =>
    [...word].slice(0, MAX_WORD_LENGTH).join(''),
  );
  const dice = diceOf(seedOf('lyrics', seed, ...words));
  const start = Math.floor(dice(0) * words.length);
  const word = (index: number) => words[(start + index) % words.length] ?? 'song';
  const line = (templates: readonly [string, ...string[]], roll: number, one: number, other = one) =>
    itemAt(templates, dice(roll, 1)).replace(/\b[AB]\b/g, (letter) => word(letter === 'A' ? one : other));
  const verse = (number: number) => {
    const first = number * 3;
    return [
      `[Verse ${number}]`,
      line(OPENINGS, number, first, first + 1),
      line(TURNS, number, first + 2),
      line(OPENINGS, number + 7, first + 3, first + 2),
      line(TURNS, number + 7, first + 1),
    ].join('\n');
  };
  const chorus = `[Chorus]\nSing ${word(0)}, sing ${word(1)}\na castle of sand and ${word(2)}`;
  const title = line(TITLES, 3, 0, 1);
  return {
    title: title.slice(0, 1).toUpperCase() + title.slice(1),
    lyrics: ['(A song from the sandbox, made for trying things out.)', verse(1), chorus, verse(2), chorus].join('\n\n'),
  };
}
