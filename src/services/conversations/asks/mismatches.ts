import { dereference, type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { isRecord } from '../../../lib/exact-json.ts';
import type { Mismatch } from '../../tasks/answer.ts';

const MAX_MISMATCHES = 5;
const MAX_SHOWN_LENGTH = 200;

/** Returns where a value does not match its schema. A member's schema can take arbitrarily long to check, so only a worker calls this. */
export function findMismatches(value: unknown, schema: Schema): { misfits: Mismatch[]; count: number } {
  const { errors } = new Validator(schema, draftOf(schema), false).validate(value);
  const relevantErrors = new Map(
    dropWrappers(errors).map((error) => [`${error.instanceLocation} ${error.keywordLocation}`, error]),
  );
  const misfits = [...relevantErrors.values()]
    .slice(0, MAX_MISMATCHES)
    .map((error) => mismatchOf(error, value, schema));
  return { misfits, count: relevantErrors.size };
}

/** Returns the JSON pointer of an error in the schema itself, if there is one. */
export function schemaProblem(schema: Schema): string | undefined {
  const [mismatch] = findMismatches(schema, META_SCHEMA).misfits;
  if (mismatch) return mismatch.at;
  try {
    const parts = dereference(schema);
    for (const [uri, part] of Object.entries(parts)) {
      const keyword = typeof part === 'object' ? invalidKeyword(part, parts) : undefined;
      const [, pointer = ''] = uri.split('#');
      if (keyword !== undefined) return shorten(`${decodeURIComponent(pointer)}/${keyword}`);
    }
    // With a reference that leads back to itself, the validator recurses until it throws.
    new Validator(schema, draftOf(schema)).validate({});
    return undefined;
  } catch (error) {
    if (error instanceof Error) return '';
    throw error;
  }
}

const DRAFTS: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/draft-0[34]/, '4'],
  [/draft-0[67]/, '7'],
  [/2019-09/, '2019-09'],
];

const draftOf = ({ $schema = '' }: Schema): SchemaDraft =>
  DRAFTS.find(([name]) => name.test($schema))?.[1] ?? '2020-12';

/** Patterns must compile, and references must resolve within the schema. */
function invalidKeyword(part: Schema, parts: ReturnType<typeof dereference>): string | undefined {
  const { pattern, patternProperties = {}, $ref, __absolute_ref__: target = $ref } = part;
  if (target !== undefined && parts[target] === undefined) return '$ref';
  if (pattern !== undefined && !compiles(pattern)) return 'pattern';
  return Object.keys(patternProperties).every(compiles) ? undefined : 'patternProperties';
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const ALTERNATIVES = new Set(['anyOf', 'oneOf', 'not', 'contains']);

/** Drops errors that only wrap others, and the errors of the individual alternatives of `anyOf` and the like. */
function dropWrappers(errors: readonly OutputUnit[]): OutputUnit[] {
  const relevantErrors: OutputUnit[] = [];
  for (let index = 0; index < errors.length; index++) {
    const error = errors[index];
    if (!error) break;
    if (ALTERNATIVES.has(error.keyword)) {
      relevantErrors.push(error);
      while (isWithin(error, errors[index + 1])) index++;
    } else if (error.keyword !== 'if' && !isWithin(error, errors[index + 1])) relevantErrors.push(error);
  }
  return relevantErrors;
}

/** The validator reports no schema location for a value that a `false` schema rejects. */
const isWithin = (group: OutputUnit, next: OutputUnit | undefined): boolean =>
  next !== undefined && (next.keyword === 'false' || next.keywordLocation.startsWith(`${group.keywordLocation}/`));

const RULES: ReadonlyMap<string, Mismatch['rule']> = new Map([
  ...(['type', 'required', 'enum', 'const', 'anyOf', 'oneOf'] as const).map((rule) => [rule, rule] as const),
  ['false', 'unexpected'],
]);

function mismatchOf(
  { keyword, keywordLocation, instanceLocation }: OutputUnit,
  value: unknown,
  schema: Schema,
): Mismatch {
  const expected = valueAt(schema, keywordLocation);
  return {
    at: shorten(pointerOf(instanceLocation)),
    rule: RULES.get(keyword) ?? 'other',
    expected: shorten(expectedText(keyword, expected, valueAt(value, instanceLocation))),
  };
}

function expectedText(keyword: string, expected: unknown, actual: unknown): string {
  if (keyword === 'type') return [expected].flat().join(' / ');
  if (keyword === 'required' && Array.isArray(expected) && isRecord(actual))
    return expected.filter((name) => !Object.hasOwn(actual, String(name))).join(', ');
  if (keyword === 'enum' || keyword === 'const') return JSON.stringify(expected) ?? keyword;
  return typeof expected === 'object' || expected === undefined ? keyword : `${keyword}: ${expected}`;
}

/** Resolves a location that the validator reported, following references within the schema. */
function valueAt(root: unknown, location: string): unknown {
  return stepsOf(location).reduce<unknown>((value, step) => {
    const next = typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(step) : undefined;
    return step === '$ref' && typeof next === 'string' && /^#(?:\/|$)/.test(next) ? valueAt(root, next) : next;
  }, root);
}

const pointerOf = (location: string): string => decodeURIComponent(location.slice(1));
const stepsOf = (location: string): string[] =>
  pointerOf(location)
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const shorten = (text: string): string =>
  text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`;

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

const each = (keywords: string, value: Schema): Record<string, Schema> =>
  Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, value]));

/** The shape of a JSON Schema of any draft. A keyword with a value of the wrong type would be ignored or break the validator. */
const META_SCHEMA: Schema = {
  type: ['object', 'boolean'],
  properties: {
    ...each('$id $schema $ref $anchor $comment title description', text),
    ...each('$defs definitions properties patternProperties dependentSchemas', schemaMap),
    ...each('allOf anyOf oneOf prefixItems', schemas),
    ...each('not if then else contains propertyNames additionalProperties unevaluatedProperties', schema),
    ...each('additionalItems unevaluatedItems', schema),
    items: { anyOf: [schema, schemas] },
    ...each('minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties', count),
    ...each('pattern format', text),
    uniqueItems: { type: 'boolean' },
    ...each('minimum maximum', number),
    ...each('exclusiveMinimum exclusiveMaximum', exclusiveLimit),
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    type: { anyOf: [types, { type: 'array', minItems: 1, items: types }] },
    enum: { type: 'array', minItems: 1 },
    required: names,
    dependentRequired: { type: 'object', additionalProperties: names },
    dependencies: { type: 'object', additionalProperties: { anyOf: [schema, names] } },
  },
};
