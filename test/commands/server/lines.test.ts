import { expect, it } from 'vitest';
import { ruleTargets } from '../../../src/commands/index.ts';
import { parseAllowedWords, parseLongestPrompt, parseWords } from '../../../src/commands/server/lines.ts';
import { Refusal } from '../../../src/lib/refusal.ts';

it('Blocked words that would block nothing are refused by name', () => {
  const lines = ['casino', '*', '!!!', '[ask] *', '*bad'];
  const refused = { key: 'refusals.rules.wordInvalid', variables: { lines: ['*', '!!!', '*'] } };
  expect(() => parseWords(lines.join('\n'), ruleTargets)).toThrowError(expect.objectContaining(refused));
  expect(() => parseWords('*', ruleTargets)).toThrowError(Refusal);
});

it('Exceptions that would have no effect are refused by name', () => {
  const refused = { key: 'refusals.rules.allowedWordInvalid', variables: { lines: ['casino royal', 'カジノ', '!!!'] } };
  expect(() => parseAllowedWords('moño\ncasino royal\nカジノ\n!!!\nhot*')).toThrowError(
    expect.objectContaining(refused),
  );
  expect(parseAllowedWords('moño\nk팝\nhot*\n도시\nc4sino')).toEqual(['moño', 'k팝', 'hot*', '도시', 'c4sino']);
});

it('A word that is entered twice, in other letters or with other spaces, is one word, as it was first spelled', () => {
  expect(parseWords('Casino\ncasino\nＣasino\n[ask] casino\nfree  money\nfree money', ruleTargets)).toEqual([
    { text: 'Casino' },
    { text: 'casino', kinds: ['ask'] },
    { text: 'free money' },
  ]);
});

it('All mistakes in a list of words are named together', () => {
  const all = ['refusals.rules.unknownKind', 'refusals.rules.unknownKind', 'refusals.rules.wordInvalid'];
  expect(() => parseWords('[film] storm\n*bad\n[movie] rain', ruleTargets)).toThrowError(
    expect.objectContaining({ all: all.map((key) => expect.objectContaining({ key })) }),
  );
});

it('The maximum length of prompts can be entered as the sentence about it is written in any language', () => {
  for (const typed of ['100000', '100,000', '100.000', '100\u202f000', '100\u00a0000'])
    expect(parseLongestPrompt(typed)).toBe(100_000);
  for (const typed of ['1,5', '1,000,000', '100,001', '0.500'])
    expect(() => parseLongestPrompt(typed)).toThrow(Refusal);
});
