import { expect, it } from 'vitest';
import { ruleTargets } from '../../../src/commands/index.ts';
import { parseWords } from '../../../src/commands/server/lines.ts';
import { Refusal } from '../../../src/lib/refusal.ts';

it('Blocked words that would block nothing are refused by name', () => {
  const lines = ['casino', '*', '!!!', '[ask] *', '*bad'];
  const refused = { key: 'refusals.rules.wordInvalid', variables: { lines: ['*', '!!!', '*'] } };
  expect(() => parseWords(lines.join('\n'), ruleTargets)).toThrowError(expect.objectContaining(refused));
  expect(() => parseWords('*', ruleTargets)).toThrowError(Refusal);
});

it('A word that is entered twice, in other letters, is one word', () => {
  expect(parseWords('casino\nCasino\nＣasino\n[ask] casino', ruleTargets)).toEqual([
    { text: 'Ｃasino' },
    { text: 'casino', kinds: ['ask'] },
  ]);
});
