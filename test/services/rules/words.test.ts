import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foldText } from '../../../src/services/rules/fold.ts';
import { WordList } from '../../../src/services/rules/word-list.ts';

interface Group {
  language: string;
  blocked: string[];
  hits: string[];
  innocent: string[];
}

/** One half was written beside the code, the other without sight of it. */
const halves = ['known', 'blind'] as const;
const corpus = (half: (typeof halves)[number]): Group[] =>
  JSON.parse(readFileSync(new URL(`./corpus/${half}.json`, import.meta.url), 'utf8')) as Group[];

/** Shares of the corpus. */
function measure(groups: readonly Group[]) {
  const missed: string[] = [];
  const wrong: string[] = [];
  let hits = 0;
  let innocent = 0;
  for (const group of groups) {
    const list = new WordList(group.blocked);
    hits += group.hits.length;
    innocent += group.innocent.length;
    missed.push(...group.hits.filter((text) => list.find(foldText(text)) === undefined));
    wrong.push(...group.innocent.filter((text) => list.find(foldText(text)) !== undefined));
  }
  return { hits, innocent, missed, wrong };
}

const finds = (blocked: string[], text: string) => new WordList(blocked).find(foldText(text));

describe('Blocked words', () => {
  it.each(halves)(
    'Blocked words are found in 98 %% of the disguises of the %s half of the corpus, and in 1 %% of its innocent prompts at most',
    (half) => {
      const { hits, innocent, missed, wrong } = measure(corpus(half));
      expect(hits).toBeGreaterThan(150);
      expect(innocent).toBeGreaterThan(80);
      expect(missed.length / hits, missed.join('\n')).toBeLessThanOrEqual(0.02);
      expect(wrong.length / innocent, wrong.join('\n')).toBeLessThanOrEqual(0.01);
    },
  );

  it.each([
    ['an ending', ['spam*'], 'spamming all day', 'spa treatment'],
    ['a phrase over a line break', ['free money'], 'get free\nmoney now', 'free the money'],
    ['a phrase as one word', ['free money'], 'freemoney', 'freedom money'],
    ['a part of a phrase that is spelled', ['free money'], 'f r e e money', 'f r e e bird'],
    ['letters in a row', ['ass'], 'an a s s here', 'x a s d'],
    ['letters in a row that are repeated', ['casino'], 'c a a a s i n o', 'c a a s i n d'],
    ['a stretched word', ['god'], 'goood', 'good'],
    ['letters of another alphabet', ['casino'], 'саѕіno', 'касса'],
    ['digits for letters', ['hell'], 'h3ll', 'h311 A55'],
    ['accents that make no other word', ['ano'], 'änö', 'feliz año nuevo'],
    ['accents in a short word', ['göt'], 'gött göt', 'I got it'],
    ['further accents in a short word', ['coño'], 'cóño', 'cono de helado'],
    ['missing accents in a longer word', ['enculé'], 'encule', 'enclume'],
    ['accents on its beginning', ['sik*'], 'sikici', 'sıkıcı bir film'],
    ['letters in a row beside whole words', ['hell'], 'g o t o h e l l u', 'h e l l o'],
    ['letters in a row beside a wide gap', ['ass'], 'b i g  a s s', 'a r t a  s u r'],
    ['letters in a row with uneven gaps', ['fool'], 'f o  o l', 'f o  r'],
    ['a word between signs', ['damn'], '**damn**!', 'adamn'],
    ['a word without spaces around it', ['赌场'], '墙上写着赌\u200b场的小巷', '赌书的场地'],
  ])('A blocked word is found with %s, and a similar one is not', (_what, blocked, hit, innocent) => {
    expect(finds(blocked, hit)).toBe(blocked[0]);
    expect(finds(blocked, innocent)).toBeUndefined();
  });

  it('An empty entry, a lone star and signs alone block nothing', () => {
    for (const entry of ['', '*', '  ', '---', '\u200b']) expect(finds([entry], 'a * b -- c')).toBeUndefined();
  });
});
