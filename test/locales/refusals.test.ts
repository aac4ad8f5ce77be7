import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { texts } from '../../src/commands/index.ts';
import { en } from '../../src/locales/en.ts';
import { createSay, type StringTree, stringAt } from '../../src/locales/index.ts';

const sourceFolder = fileURLToPath(new URL('../../src', import.meta.url));
const files = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const refusalKeys = files.flatMap((name) =>
  [...readFileSync(join(sourceFolder, name), 'utf8').matchAll(/new Refusal\(\s*'([^']+)'/g)].map(
    ([, key]) => key ?? '',
  ),
);

const tables: readonly StringTree[] = [en, ...texts];

/** All keys in a tree of strings. */
const keysIn = (sentences: StringTree): string[] =>
  Object.entries(sentences).flatMap(([name, one]) =>
    typeof one === 'string' ? [name] : keysIn(one).map((key) => `${name}.${key}`),
  );

it('Every refusal in the code has a sentence', () => {
  expect(refusalKeys.length).toBeGreaterThan(5);
  const textFor = (key: string) => tables.flatMap((sentences) => stringAt(sentences, key.split('.')) ?? [])[0];
  // A message with a count has one form for each plural category.
  for (const key of refusalKeys) expect(textFor(key) ?? textFor(`${key}_other`), key).toBeTypeOf('string');
});

it('No sentence belongs to two features', () => {
  const allKeys = tables.flatMap(keysIn);
  expect(allKeys.filter((key, index) => allKeys.indexOf(key) !== index)).toEqual([]);
});

it('Variables are inserted into sentences without HTML escapes, because Discord shows plain text', () => {
  expect(createSay(texts)('refusals.unknownModel', { id: 'a<b>&c' })).toContain('a<b>&c');
});
