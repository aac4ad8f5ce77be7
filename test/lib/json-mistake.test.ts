import { expect, it } from 'vitest';
import { findJsonMistake } from '../../src/lib/json-mistake.ts';

it.each([
  ['hello', 1, 1],
  ['\ufeff{}', 1, 1],
  ['', 1, 1],
  ['{"a": [1, 2],}', 1, 14],
  ['{"a": [1, 2,]}', 1, 13],
  ['{"a": [1 2]}', 1, 10],
  ['{"a": 1}}', 1, 9],
  ['[1, {"a" 2}]', 1, 10],
  ['{\n  "a": 1,\n  b: 2\n}', 3, 3],
  ['{\r\n\t"a": \'b\'\r\n}', 2, 7],
  ['{\n  "a": "b\n}', 2, 8],
  ['{"a": "\\x"}', 1, 7],
  ['{"a": 01}', 1, 8],
  ['{"a": nul}', 1, 7],
  ['{"a": {"b": [true, null, -1.5e3, "\\u00e9\\""]}\n', 2, 1],
  ['{"a": "b"]', 1, 10],
])('The mistake in %j is found in line %i, column %i', (text, line, column) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(findJsonMistake(text)).toEqual({ line, column });
});

it('A mistake after a million characters is found at once', () => {
  const text = `{"a": "${'\\"'.repeat(500_000)}", }`;
  expect(findJsonMistake(text)).toEqual({ line: 1, column: text.length });
});
