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
});
