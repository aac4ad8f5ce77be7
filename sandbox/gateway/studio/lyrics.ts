import { diceOf, seedOf } from './random.ts';
import { subjectOf } from './subject.ts';
import { isStopWord, wordsOf } from './words.ts';

const FALLBACK = ['quiet', 'morning', 'window', 'river'];
const MOST_LETTERS = 24;

const TITLES = [
  (a: string) => `Song of the ${a}`,
  (a: string, b: string) => `${a} and ${b}`,
  (a: string) => `A little ${a}`,
];
const OPENINGS = [
  (a: string, b: string) => `There is ${a} beyond the ${b}`,
  (a: string, b: string) => `I counted ${a}, I counted ${b}`,
  (a: string, b: string) => `Between the ${a} and the ${b}`,
];
const TURNS = [
  (a: string) => `and the evening keeps its ${a} warm`,
  (a: string) => `and nobody hurries the ${a}`,
  (a: string) => `and slowly the ${a} comes round`,
];

/** Words for a song, made of the prompt's own words; the first line says that it is the sandbox singing. */
export function lyricsOf(prompt: string, seed: number): { title: string; lyrics: string } {
  const known = [...new Set(wordsOf(prompt).filter((word) => !isStopWord(word) && word.length > 2))];
  const words = (known.length > 0 ? known : FALLBACK).map((word) => [...word].slice(0, MOST_LETTERS).join(''));
  const dice = diceOf(seedOf('lyrics', subjectOf(prompt).hash, seed));
  const start = Math.floor(dice(0) * words.length);
  const word = (index: number) => words[(start + index) % words.length] ?? 'song';
  const choose = <Line>(lines: readonly Line[], index: number) =>
    lines[Math.floor(dice(index, 1) * lines.length)] ?? lines[0];
  const verse = (number: number) => [
    choose(OPENINGS, number)?.(word(number * 3), word(number * 3 + 1)),
    choose(TURNS, number)?.(word(number * 3 + 2)),
    choose(OPENINGS, number + 7)?.(word(number * 3 + 3), word(number * 3 + 2)),
    choose(TURNS, number + 7)?.(word(number * 3 + 1)),
  ];
  const refrain = [`Sing ${word(0)}, sing ${word(1)}`, `a castle of sand and ${word(2)}`];
  const part = (name: string, lines: readonly (string | undefined)[]) =>
    `[${name}]\n${lines.filter((line) => line !== undefined).join('\n')}`;
  return {
    title: capital(choose(TITLES, 3)?.(word(0), word(1)) ?? word(0)),
    lyrics: [
      '(A song of the sandbox: made for trying things out.)',
      part('Verse 1', verse(1)),
      part('Chorus', refrain),
      part('Verse 2', verse(2)),
      part('Chorus', refrain),
    ].join('\n\n'),
  };
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
