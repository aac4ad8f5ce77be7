import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { texts } from '../../src/commands/index.ts';
import { en } from '../../src/locales/en.ts';
import { createSay, type Texts, textAt } from '../../src/locales/index.ts';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const keys = files.flatMap((name) =>
  [...readFileSync(join(source, name), 'utf8').matchAll(/new Refusal\(\s*'([^']+)'/g)].map(([, key]) => key ?? ''),
);

const owners: readonly Texts[] = [en, ...texts];

/** All keys in a tree of texts. */
const keysIn = (sentences: Texts): string[] =>
  Object.entries(sentences).flatMap(([name, one]) =>
    typeof one === 'string' ? [name] : keysIn(one).map((key) => `${name}.${key}`),
  );

it('Every refusal has a sentence', () => {
  expect(keys.length).toBeGreaterThan(5);
  const found = (key: string) => owners.flatMap((sentences) => textAt(sentences, key.split('.')) ?? [])[0];
  // A message with a count has one form for each plural category.
  for (const key of keys) expect(found(key) ?? found(`${key}_other`), key).toBeTypeOf('string');
});

it('No sentence belongs to two features', () => {
  const all = owners.flatMap(keysIn);
  expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([]);
});

it('Variables are inserted into sentences without HTML escapes, because Discord shows plain text', () => {
  expect(createSay(texts)('refusals.unknownModel', { id: 'a<b>&c' })).toContain('a<b>&c');
});
