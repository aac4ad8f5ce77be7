import { expect, it } from 'vitest';
import { Recorder } from '../../../scripts/trial/recorder.ts';
import { shapeOf as shapeOfSamples } from '../../../scripts/trial/shape.ts';
import { Vocabulary } from '../../../scripts/trial/words.ts';

function shapeOf(values: readonly unknown[], ownTexts: readonly string[] = []) {
  const vocabulary = new Vocabulary(new Set(['status']), ownTexts, values);
  return shapeOfSamples(
    values.map((body) => ({ body })),
    vocabulary,
  );
}

it('A field that is missing in some objects is optional', () => {
  const { fields } = shapeOf([{ data: [{ id: 'one', url: 'two' }, { id: 'three' }] }, { data: [] }]);
  expect(fields['$.data[].id']).toEqual({ types: ['string'], length: [3, 5] });
  expect(fields['$.data[].url']).toEqual({ types: ['string'], length: [3, 3], optional: true });
  expect(fields['$.data']).toEqual({ types: ['list'], length: [0, 2] });
});

it.each([
  ['an id in digits', { '1320098173412546': 1 }],
  ['an id in letters and digits', { task_9f8a7b6c5d4e: 1 }],
  ['the name of a model', { 'flux-2': 1 }],
  ['a word of the prompt', { harbour: 1 }],
  ['a text with spaces', { 'a red kite': 1 }],
  ['a value of another field', { vip: 1, groups: ['vip'] }],
  ['an address', { 'https://files.example/a.png': 1 }],
  ['a key', { 'sk-live': 1 }],
])('A key that is %s is not shown', (_, value) => {
  const { fields } = shapeOf([{ value }], ['a quiet harbour', 'flux-2', 'sk-live']);
  expect(fields['$.value.{*}']).toMatchObject({ types: ['number'] });
  expect(JSON.stringify(fields)).not.toMatch(/1320|9f8a|flux|harbour|kite|vip|files|live/);
});

it('A word that is a text of the operator is replaced by its length', () => {
  const { words } = shapeOf([{ status: 'harbour', type: 'queued', code: 404 }], ['a quiet harbour']);
  expect(words).toEqual({ '$.status': ['(7 characters)'], '$.type': ['queued'], '$.code': ['404'] });
});

it('A number with more digits than JavaScript keeps is reported as a number, and endless nesting ends', async () => {
  const recorder = new Recorder();
  const bodies = [
    '{"price": 1.10, "id": 1320098173412546123, "created_at": 1790000000.120}',
    `{"a": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`,
  ];
  for (const body of bodies) recorder.add('GET /api', { outcome: '200', chunks: [Buffer.from(body)] });
  const [responses] = await recorder.take(new Set(), []);
  expect(responses?.fields).toMatchObject({
    '$.a': { types: ['list'] },
    '$.created_at': { types: ['time in seconds'] },
    '$.id': { types: ['number'] },
    '$.price': { types: ['number'] },
  });
});

it('A hostile response is read up to a limit', () => {
  let nested: unknown = 'end';
  for (let depth = 0; depth < 100; depth++) nested = { a: nested };
  const wide = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`k${'abcdefghij'[index % 10]}${'x'.repeat(index % 50)}`, index]),
  );
  expect(Object.keys(shapeOf([nested]).fields).length).toBeLessThan(20);
  expect(
    Object.keys(shapeOf([wide, { list: Array.from({ length: 100_000 }, () => wide) }]).fields).length,
  ).toBeLessThanOrEqual(1_200);
});
