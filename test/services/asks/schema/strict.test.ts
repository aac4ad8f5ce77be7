import { describe, expect, it } from 'vitest';
import { strictProblem } from '../../../../sandbox/gateway/requests/strict-schema.ts';
import { fitsStrictMode } from '../../../../src/services/asks/schema/strict.ts';

const closed = (properties: object, more: object = {}) => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  ...more,
});
const nested = (levels: number): ReturnType<typeof closed> =>
  levels === 0 ? closed({}) : closed({ a: nested(levels - 1) });

describe('The strict mode of a schema', () => {
  it.each([
    ['closed objects', closed({ a: { type: 'string', format: 'date' }, b: { type: ['integer', 'null'] } })],
    ['lists and alternatives', closed({ a: { type: 'array', items: closed({}) }, b: { anyOf: [{ const: 1 }] } })],
    ['references', closed({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { enum: ['x'] } } })],
  ])('A schema with %s is sent as strict, and the gateway accepts it', (_, schema) => {
    expect(fitsStrictMode(schema)).toBe(true);
    expect(strictProblem(schema, '#')).toBeUndefined();
  });

  it.each([
    ['an open object', { type: 'object', properties: {} }],
    ['an optional property', closed({ a: {} }, { required: [] })],
    ['an open object in a list', closed({ a: { type: 'array', items: { type: 'object' } } })],
    ['an open object among its definitions', closed({}, { $defs: { a: { type: ['object', 'null'] } } })],
    ['an unsupported keyword', closed({ a: { type: 'string', minLength: 1 } })],
    ['an unknown keyword', closed({ a: { type: 'string', 'x-order': 1 } })],
    ['an unknown format', closed({ a: { type: 'string', format: 'iri' } })],
    ['alternatives at its root', closed({}, { anyOf: [closed({})] })],
    ['a property that allows any value', closed({ a: true })],
    ['too many levels of nesting', nested(11)],
  ])('A schema with %s is not sent as strict', (_, schema) => {
    expect(fitsStrictMode(schema)).toBe(false);
  });
});
