import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foldText } from '../../../../src/services/safety/rules/fold.ts';
import { WordList } from '../../../../src/services/safety/rules/word-list.ts';

interface Group {
  language: string;
  blocked: string[];
  hits: string[];
  innocent: string[];
}

/** The first part was written together with the code, the others independently of it. */
const parts = ['known', 'blind', 'mixed'] as const;
/**
 * The share that may be missed. The mixed part has one list for thirteen languages, and disguises that no rule detects:
 * words split into two parts that could be words, upside-down letters, brackets for letters, and variant spellings
 * of Hindi and Korean words.
 */
const MAX_MISSED_SHARE = { known: 0.02, blind: 0.02, mixed: 0.07 };
const corpus = (part: (typeof parts)[number]): Group[] =>
  JSON.parse(readFileSync(new URL(`./corpus/${part}.json`, import.meta.url), 'utf8')) as Group[];

/** Counts the texts, and collects the disguised words that are missed and the harmless texts that are refused. */
function measure(groups: readonly Group[]) {
  const missed: string[] = [];
  const falsePositives: string[] = [];
  let hits = 0;
  let innocent = 0;
  for (const group of groups) {
    const list = new WordList(group.blocked);
    hits += group.hits.length;
    innocent += group.innocent.length;
    missed.push(...group.hits.filter((text) => list.find(foldText(text)) === undefined));
    falsePositives.push(...group.innocent.filter((text) => list.find(foldText(text)) !== undefined));
  }
  return { hits, innocent, missed, falsePositives };
}

const findWord = (blocked: string[], text: string) => new WordList(blocked).find(foldText(text));

describe('Blocked words', () => {
  it.each(parts)(
    'Almost all disguised blocked words in the %s part of the corpus are found, and at most one in a hundred harmless prompts is refused',
    (part) => {
      const { hits, innocent, missed, falsePositives } = measure(corpus(part));
      expect(hits).toBeGreaterThan(150);
      expect(innocent).toBeGreaterThan(80);
      expect(missed.length / hits, missed.join('\n')).toBeLessThanOrEqual(MAX_MISSED_SHARE[part]);
      expect(falsePositives.length / innocent, falsePositives.join('\n')).toBeLessThanOrEqual(0.01);
    },
  );

  it('In a list of blocked words, an empty entry, a lone asterisk and an entry of only punctuation block nothing', () => {
    for (const entry of ['', '*', '  ', '---', '\u200b']) expect(findWord([entry], 'a * b -- c')).toBeUndefined();
  });

  it('A word ends where another script begins without a space', () => {
    for (const text of [
      'casinoの夜',
      '夜のcasino',
      'casino도시',
      '큰casino도시',
      'ca$ino夜',
      'c4sin0도시',
      'คาสิโนcasino',
      'c a s i n oの夜',
    ])
      expect(findWord(['casino'], text), text).toBe('casino');
    expect(findWord(['online betting'], '夜online bettingの')).toBe('online betting');
    expect(findWord(['도박'], 'vip도박을')).toBe('도박');
  });

  it('A blocked word that mixes scripts is found as a whole, also in a phrase', () => {
    for (const text of ['k팝', 'k팝을 듣는 사람', '(k팝)']) expect(findWord(['k팝'], text), text).toBe('k팝');
    expect(findWord(['무료 pc방'], '밤 무료 pc방 사진')).toBe('무료 pc방');
    expect(findWord(['Tシャツ'], '白いTシャツの人')).toBe('Tシャツ');
  });

  it('Within one script, and between digits and letters, no word begins or ends', () => {
    for (const text of ['casinos', '2024년의 도시', '대도박', '夜 casinosの', 'online夜のbetting'])
      expect(findWord(['casino', '년', '도박', 'online betting'], text), text).toBeUndefined();
  });
});
