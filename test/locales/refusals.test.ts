import { expect, it } from 'vitest';
import type { Language } from '../../src/lib/languages.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { type StringTree, say, sayIn, stringFiles, stringIn, translations } from '../../src/locales/index.ts';

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
  // @ts-expect-error
  say('noSuchSentence');
  // @ts-expect-error
  say('left.ofPeriod');
  // @ts-expect-error
  say('left.ofPeriod', { left: '$1', limit: '$5' });
  // @ts-expect-error
  say('left.ofPeriod', { left: '$1', limit: '$5', until: 1 });
});

it('What a language lacks is said in English, key by key, and by category where a plural lacks one', () => {
  const italian = 'it' as Language;
  const strings = { task: { buttons: { retry: 'Riprova' } }, usage: { tasks_many: '{{count}} attività' } };
  translations.addResourceBundle(italian, 'translation', strings);
  const sayItalian = sayIn(italian);
  expect(sayItalian('task.buttons.retry')).toBe('Riprova');
  expect(sayItalian('task.buttons.delete')).toBe(say('task.buttons.delete'));
  expect(sayItalian('usage.tasks', { count: 1_000_000 })).toBe('1.000.000 attività');
  expect(sayItalian('usage.tasks', { count: 2 })).toBe(say('usage.tasks', { count: 2 }));
  expect(stringIn(italian, ['commands', 'imagine', 'description'])).toBe(
    stringIn('en', ['commands', 'imagine', 'description']),
  );
});

it('No sentence is in two files', () => {
  const allKeys = [...stringFiles('en').values()].flatMap(keysIn);
  expect(allKeys.filter((key, index) => allKeys.indexOf(key) !== index)).toEqual([]);
});

it('Variables are inserted into sentences without HTML escapes, because Discord shows plain text', () => {
  expect(say('refusals.unknownModel', { id: 'a<b>&c' })).toContain('a<b>&c');
});
