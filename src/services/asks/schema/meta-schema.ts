import type { Schema } from '@cfworker/json-schema';

const types: Schema = { enum: ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] };
const schema: Schema = { $ref: '#' };
const schemas: Schema = { type: 'array', minItems: 1, items: schema };
const schemaMap: Schema = { type: 'object', additionalProperties: schema };
const names: Schema = { type: 'array', items: { type: 'string' } };
const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const number: Schema = { type: 'number' };
/** In draft 4, `exclusiveMinimum` and `exclusiveMaximum` are booleans. */
const exclusiveLimit: Schema = { type: ['number', 'boolean'] };

/** The shape of a JSON Schema of any draft. A keyword with a value of the wrong type would be ignored or break the validator. */
export const META_SCHEMA: Schema = {
  type: ['object', 'boolean'],
  properties: {
    ...{ $id: text, $schema: text, $ref: text, $anchor: text, $comment: text, title: text, description: text },
    ...{
      $defs: schemaMap,
      definitions: schemaMap,
      properties: schemaMap,
      patternProperties: schemaMap,
      dependentSchemas: schemaMap,
    },
    ...{ allOf: schemas, anyOf: schemas, oneOf: schemas, prefixItems: schemas },
    ...Object.fromEntries(['not', 'if', 'then', 'else', 'contains', 'propertyNames'].map((one) => [one, schema])),
    ...{ additionalProperties: schema, unevaluatedProperties: schema },
    ...{ additionalItems: schema, unevaluatedItems: schema, items: { anyOf: [schema, schemas] } },
    ...{ minLength: count, maxLength: count, minItems: count, maxItems: count, minContains: count, maxContains: count },
    ...{ minProperties: count, maxProperties: count, pattern: text, format: text, uniqueItems: { type: 'boolean' } },
    ...{ minimum: number, maximum: number, exclusiveMinimum: exclusiveLimit, exclusiveMaximum: exclusiveLimit },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    type: { anyOf: [types, { type: 'array', minItems: 1, items: types }] },
    enum: { type: 'array', minItems: 1 },
    required: names,
    dependentRequired: { type: 'object', additionalProperties: names },
    dependencies: { type: 'object', additionalProperties: { anyOf: [schema, names] } },
  },
};
