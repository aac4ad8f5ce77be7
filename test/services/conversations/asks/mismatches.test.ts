import type { Schema } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { findMismatches } from '../../../../src/services/conversations/asks/mismatches.ts';

const schema: Schema = {
  type: 'object',
  required: ['name', 'age'],
  additionalProperties: false,
  properties: {
    name: { $ref: '#/$defs/word' },
    age: { type: ['integer', 'null'], minimum: 0 },
    size: { enum: ['s', 'm'] },
    kind: { const: 1 },
    either: { anyOf: [{ type: 'number' }, { type: 'object', additionalProperties: false }] },
    list: { type: 'array', items: { type: 'string' } },
    long: { if: { type: 'number' }, else: { minLength: 4 } },
  },
  $defs: { word: { type: 'string', pattern: '^\\w+$' } },
};

const validAnswer = { name: 'fox', age: 3 };
const mismatchesOf = (value: unknown) => findMismatches(value, structuredClone(schema)).misfits;

describe('The mismatches of an answer and its schema', () => {
  it('An answer that matches its schema has no mismatches', () => {
    expect(mismatchesOf({ ...validAnswer, either: {}, list: ['a'], long: 'word' })).toEqual([]);
  });

  it.each([
    [[], { at: '', rule: 'type', expected: 'object' }],
    [{}, { at: '', rule: 'required', expected: 'name, age' }],
    [
      { ...validAnswer, name: 7 },
      { at: '/name', rule: 'type', expected: 'string' },
    ],
    [
      { ...validAnswer, name: 'a b' },
      { at: '/name', rule: 'other', expected: 'pattern: ^\\w+$' },
    ],
    [
      { ...validAnswer, age: 1.5 },
      { at: '/age', rule: 'type', expected: 'integer / null' },
    ],
    [
      { ...validAnswer, age: -1 },
      { at: '/age', rule: 'other', expected: 'minimum: 0' },
    ],
    [
      { ...validAnswer, size: 'xl' },
      { at: '/size', rule: 'enum', expected: '["s","m"]' },
    ],
    [
      { ...validAnswer, kind: 2 },
      { at: '/kind', rule: 'const', expected: '1' },
    ],
    [
      { ...validAnswer, either: { a: 1 } },
      { at: '/either', rule: 'anyOf', expected: 'anyOf' },
    ],
    [
      { ...validAnswer, list: ['a', 2] },
      { at: '/list/1', rule: 'type', expected: 'string' },
    ],
    [
      { ...validAnswer, long: 'abc' },
      { at: '/long', rule: 'other', expected: 'minLength: 4' },
    ],
    [
      { ...validAnswer, 'a/ü': 1 },
      { at: '/a~1ü', rule: 'unexpected', expected: 'false' },
    ],
  ])('The answer %j has exactly the mismatch %j', (value, mismatch) => {
    expect(mismatchesOf(value)).toEqual([mismatch]);
  });

  it('All mismatches are counted and five are listed, each with a bounded length', () => {
    const value = { ...validAnswer, list: Array.from({ length: 40 }, () => 1), [`x${'y'.repeat(5_000)}`]: 1 };
    const result = findMismatches(value, structuredClone(schema));
    expect(result.count).toBe(41);
    expect(result.misfits).toHaveLength(5);
    const [longMismatch] = mismatchesOf({ ...validAnswer, [`x${'y'.repeat(5_000)}`]: 1 });
    expect(longMismatch?.at.length).toBeLessThan(300);
  });
});
