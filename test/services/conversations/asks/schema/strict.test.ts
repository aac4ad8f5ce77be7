import { describe, expect, it } from 'vitest';
import { strictProblem } from '../../../../../sandbox/gateway/requests/strict-schema.ts';
import { fitsStrictMode } from '../../../../../src/services/conversations/answer-schemas.ts';

const closedObject = (properties: object, keywords: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...keywords,
});
const nestedObject = (levels: number): ReturnType<typeof closedObject> =>
  levels === 0 ? closedObject({}) : closedObject({ a: nestedObject(levels - 1) });

describe('The strict mode of a schema', () => {
  it.each([
    ['closed objects', closedObject({ a: { type: 'string', format: 'date' }, b: { type: ['integer', 'null'] } })],
    [
      'lists and alternatives',
      closedObject({ a: { type: 'array', items: closedObject({}) }, b: { anyOf: [{ const: 1 }] } }),
    ],
    ['references', closedObject({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { enum: ['x'] } } })],
  ])('A schema with %s is sent as strict, and the gateway accepts it', (_, schema) => {
    expect(fitsStrictMode(schema)).toBe(true);
    expect(strictProblem(schema, '#')).toBeUndefined();
  });

  it.each([
    ['an open object', { type: 'object', properties: {} }],
    ['an optional property', closedObject({ a: {} }, { required: [] })],
    ['an open object in a list', closedObject({ a: { type: 'array', items: { type: 'object' } } })],
    ['an open object among its definitions', closedObject({}, { $defs: { a: { type: ['object', 'null'] } } })],
    ['an unsupported keyword', closedObject({ a: { type: 'string', minLength: 1 } })],
    ['an unknown keyword', closedObject({ a: { type: 'string', 'x-order': 1 } })],
    ['an unknown format', closedObject({ a: { type: 'string', format: 'iri' } })],
    ['alternatives at its root', closedObject({}, { anyOf: [closedObject({})] })],
    ['a property that allows any value', closedObject({ a: true })],
    ['too many levels of nesting', nestedObject(11)],
  ])('A schema with %s is not sent as strict', (_, schema) => {
    expect(fitsStrictMode(schema)).toBe(false);
  });
});
