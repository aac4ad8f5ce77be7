import { expect, it } from 'vitest';
import { Refusal } from '../../src/lib/refusal.ts';
import { type StringTree, say, stringFiles } from '../../src/locales/index.ts';

/** All keys in a tree of strings. */
const keysIn = (sentences: StringTree): string[] =>
  Object.entries(sentences).flatMap(([name, one]) =>
    typeof one === 'string' ? [name] : keysIn(one).map((key) => `${name}.${key}`),
  );

it('The type checker refuses a key without a sentence, and variables that its sentence does not have', () => {
  const refusals = [
    // @ts-expect-error
    new Refusal('refusals.noSuchSentence'),
    // @ts-expect-error
    new Refusal('refusals.unknownModel'),
    // @ts-expect-error
    new Refusal('refusals.unknownModel', { id: 'a', near: 'b' }),
    // @ts-expect-error
    new Refusal('refusals.busy', { id: 'a' }),
    // @ts-expect-error
    new Refusal('refusals.rules.tooLong', { max: 1 }),
    new Refusal('refusals.rules.tooLong', { max: 1, count: 1 }),
  ];
  expect(refusals).toHaveLength(6);
});

it('No sentence is in two files', () => {
  const allKeys = [...stringFiles('en').values()].flatMap(keysIn);
  expect(allKeys.filter((key, index) => allKeys.indexOf(key) !== index)).toEqual([]);
});

it('Variables are inserted into sentences without HTML escapes, because Discord shows plain text', () => {
  expect(say('refusals.unknownModel', { id: 'a<b>&c' })).toContain('a<b>&c');
});
