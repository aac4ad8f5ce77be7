import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { localeProblems } from '../../scripts/locales/check.ts';
import { MAX_LENGTHS, readMaxLengths } from '../../scripts/locales/lengths.ts';
import { readUses } from '../../scripts/locales/uses.ts';
import { typesOfStrings } from '../../scripts/locales.ts';
import { durationText } from '../../src/lib/formats.ts';
import { languages } from '../../src/lib/languages.ts';
import { type StringTree, say, stringFiles, strings, stringsIn } from '../../src/locales/index.ts';

const PLURAL = /_(?:one|other)$/;

/** Every sentence by its key. */
const sentencesIn = (table: StringTree, path = ''): [string, string][] =>
  Object.entries(table).flatMap(([name, one]) =>
    typeof one === 'string' ? [[path + name, one]] : sentencesIn(one, `${path}${name}.`),
  );

const { commands: _, ...sentenceTree } = strings;
const sentences = new Map(sentencesIn(sentenceTree));
/** The keys as the code names them: plural keys without their suffix. */
const keys = new Set([...sentences.keys()].map((key) => key.replace(PLURAL, '')));
const { uses, words } = readUses();

const formsOf = (key: string): string[] =>
  [key, `${key}_one`, `${key}_other`].flatMap((form) => sentences.get(form) ?? []);
const isPlural = (key: string): boolean => sentences.has(`${key}_other`);
const variablesIn = (sentence: string): string[] =>
  [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
const variablesOf = (key: string): string[] => [
  ...new Set([...formsOf(key).flatMap(variablesIn), ...(isPlural(key) ? ['count'] : [])]),
];
const keysMatching = (patterns: readonly RegExp[]): string[] =>
  [...keys].filter((key) => patterns.some((pattern) => pattern.test(key)));

it('The types of the sentences are those of the English files; `npm run locales` renews them', () => {
  expect(readFileSync(new URL('../../src/locales/strings.ts', import.meta.url), 'utf8')).toBe(typesOfStrings());
});

it('No sentence adds a period to a unit that ends with one', () => {
  const abbreviating = languages.filter((language) => durationText(4, { language }).endsWith('.'));
  expect(abbreviating).toEqual(['de']);
  const doubled = abbreviating.flatMap((language) =>
    sentencesIn(stringsIn(language)).filter(([, text]) => /duration\}\}\./i.test(text)),
  );
  expect(doubled).toEqual([]);
});

it('The keys of all sentences that the code uses are found', () => {
  expect(uses.length).toBeGreaterThan(200);
  const filesWithoutKeys = uses
    .filter((use) => use.keys.length === 0)
    .map(({ location }) => location.replace(/:.*/, ''));
  // The error funnel accepts any refusal; the others pass on refusals from the media process.
  expect(filesWithoutKeys.sort()).toEqual([
    'discord/funnel.ts',
    'services/media/process/child.ts',
    'services/media/process/program/audio.ts',
  ]);
});

it('Every key in the code has a sentence', () => {
  const keysWithoutSentence = uses.flatMap(({ location, keys: patterns }) =>
    patterns
      .filter((pattern) => keysMatching([pattern]).length === 0)
      .map((pattern) => `${location} ${pattern.source}`),
  );
  expect(keysWithoutSentence).toEqual([]);
});

it('The code uses every sentence', () => {
  const literalKeys = new Set([...keys].filter((key) => words.has(key)));
  const patterns = uses.flatMap((use) => use.keys);
  const unused = [...keys].filter((key) => {
    if (literalKeys.has(key)) return false;
    // Composed keys end with a word that is also in the code.
    return (
      !keysMatching(patterns.filter((pattern) => pattern.test(key))).includes(key) ||
      !words.has(key.split('.').at(-1) ?? '')
    );
  });
  expect(unused).toEqual([]);
});

it('The code passes every variable of a sentence each time it uses the sentence', () => {
  const missing = uses.flatMap(({ location, keys: patterns, variables }) =>
    keysMatching(patterns)
      // A composed key is not checked against sentences whose keys also occur as literals.
      .filter((key) => patterns.some(({ source }) => !source.includes('[^.]+')) || !words.has(key))
      .flatMap((key) =>
        variablesOf(key)
          .filter((name) => variables && !variables.has(name))
          .map((name) => `${location} ${key}: ${name}`),
      ),
  );
  expect(missing).toEqual([]);
});

it('Every variable that the code passes to a sentence occurs in it', () => {
  const unknownVariables = uses.flatMap(({ location, keys: patterns, variables = new Set<string>() }) => {
    // `defaultValue` is what i18next returns if there is no sentence.
    const knownVariables = new Set(['defaultValue', ...keysMatching(patterns).flatMap(variablesOf)]);
    return patterns.length === 0
      ? []
      : [...variables].filter((name) => !knownVariables.has(name)).map((name) => `${location}: ${name}`);
  });
  expect(unknownVariables).toEqual([]);
});

it('A plural has both forms with the same variables', () => {
  const plurals = [...sentences.keys()].filter((key) => PLURAL.test(key)).map((key) => key.replace(PLURAL, ''));
  for (const key of new Set(plurals)) {
    const [one = [], other = [], ...otherForms] = formsOf(key).map((form) => variablesIn(form).sort());
    expect(otherForms, `${key} also exists without a plural suffix`).toEqual([]);
    expect(sentences.has(`${key}_one`) && sentences.has(`${key}_other`), key).toBe(true);
    // The singular may omit the number, as in "A result".
    const namesExceptCount = (names: string[]) => names.filter((name) => name !== 'count');
    expect(namesExceptCount(one), key).toEqual(namesExceptCount(other));
  }
});

it('Discord accepts the length of every label, title, hint and choice, and no string has characters that cannot be seen', () => {
  const parts = new Set(uses.map(({ part }) => part));
  expect(parts.size).toBe(Object.keys(MAX_LENGTHS).length + 1);
  expect(localeProblems('en', stringFiles('en'), stringFiles('en'), readMaxLengths())).toEqual([]);
});

it('Large counts have separators, and times for Discord do not', () => {
  expect(say('rules.longestPrompt', { count: 1_000 })).toBe('Prompts of at most 1,000 characters');
  expect(say('left.ofPeriod', { left: '$1', limit: '$5', resets: 1_700_000_000 })).toContain('<t:1700000000:R>');
});
