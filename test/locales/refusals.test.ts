import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sentenceAt, speak } from '../../src/locales/index.ts';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const keys = files.flatMap((name) =>
  [...readFileSync(join(source, name), 'utf8').matchAll(/new Refusal\(\s*'([^']+)'/g)].map(([, key]) => key ?? ''),
);

it('every refusal has its sentence', () => {
  expect(keys.length).toBeGreaterThan(5);
  for (const key of keys) expect(sentenceAt(key.split('.')), key).toBeTypeOf('string');
});

it('sentences are filled in as they are, for Discord shows text and no HTML', () => {
  expect(speak()('refusals.unknownModel', { id: 'a<b>&c' })).toContain('a<b>&c');
});
