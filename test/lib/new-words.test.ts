import { expect, it } from 'vitest';
import { newWords } from '../../src/lib/new-words.ts';

const marked = (before: string, after: string): string | undefined =>
  newWords(before, after)
    ?.map(({ word, isNew }) => (isNew ? `[${word}]` : word))
    .join(' ');

it.each([
  ['the same text', 'a fox in the snow', 'a fox in the snow', 'a fox in the snow'],
  ['added words', 'a fox', 'a red fox at dawn', 'a [red] fox [at] [dawn]'],
  ['a replaced word', 'a fox in the snow', 'a wolf in the snow', 'a [wolf] in the snow'],
  ['left out words', 'a very big fox', 'a fox', 'a fox'],
  ['moved words', 'snow and fox', 'fox and snow', 'fox [and] [snow]'],
  ['other case and punctuation', 'a fox, in SNOW', 'A fox in snow.', 'A fox in snow.'],
  ['repeated words', 'snow snow', 'snow snow snow', 'snow snow [snow]'],
  ['nothing before', '', 'a fox', '[a] [fox]'],
  ['nothing after', 'a fox', '', ''],
  ['symbols only', 'fox — hen', 'fox + hen', 'fox [+] hen'],
])('The new words of %s are marked', (_, before, after, expected) => {
  expect(marked(before, after)).toBe(expected);
});

it('Long texts are not compared', () => {
  const long = 'fox '.repeat(301);
  expect(newWords(long, 'a fox')).toBeUndefined();
  expect(newWords('a fox', long)).toBeUndefined();
  expect(newWords('fox '.repeat(300), 'fox '.repeat(300))?.some(({ isNew }) => isNew)).toBe(false);
});
