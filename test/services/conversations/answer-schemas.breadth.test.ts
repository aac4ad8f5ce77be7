import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { type AnswerSchemas, createAnswerSchemas } from '../../../src/services/conversations/answer-schemas.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const openedSchemas: AnswerSchemas[] = [];
afterEach(async () => void (await Promise.all(openedSchemas.splice(0).map((one) => one.close()))));

function openSchemas({ clock = systemClock, text = '{"type":"object"}' } = {}): AnswerSchemas {
  const schemas = createAnswerSchemas(async () => text, clock);
  openedSchemas.push(schemas);
  return schemas;
}

const readSchema = (schema: unknown, schemas = openSchemas()): Promise<string> =>
  schemas.read(JSON.stringify(schema), 'm1');
const objectSchema = (properties: object, keywords: object = {}) => ({ type: 'object', properties, ...keywords });
/** A pattern that backtracks for longer than any test runs. */
const HOSTILE_PATTERN = '^(?:a+)+$';
const BACKTRACKING_TEXT = `${'a'.repeat(60)}!`;

describe('The schema of an answer', () => {
  it('A schema is stored as compact JSON, whether it was sent as text or as a file', async () => {
    expect(await openSchemas().read(' { "type" : "object" } ', 'm1')).toBe('{"type":"object"}');
    expect(await openSchemas().read({ address: 'https://files.example/a.json', name: 'a.json' }, 'm1')).toBe(
      '{"type":"object"}',
    );
  });

  it.each([
    ['{"type":"object"', 'refusals.schemaNotJson'],
    ['[]', 'refusals.schemaNotObject'],
    ['{"type":"array"}', 'refusals.schemaNotObject'],
    [`{"type":"object","a":${'['.repeat(40)}${']'.repeat(40)}}`, 'refusals.schemaTooDeep'],
    [`{"type":"object","title":"${'ü'.repeat(33_000)}"}`, 'refusals.schemaTooLarge'],
    [`{"type":"object","a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'refusals.schemaTooDeep'],
  ])('The text %.40s is refused with %s', async (text, key) => {
    await expect(openSchemas().read(text, 'm1')).rejects.toMatchObject({ key });
  });

  it.each([
    ['a type that does not exist', objectSchema({ a: { type: 'strin' } }), '/properties/a/type'],
    ['a list as properties', { type: 'object', properties: [] }, '/properties'],
    ['a string as the list of required properties', objectSchema({}, { required: 'a' }), '/required'],
    ['a negative length', objectSchema({ 'a/b': { minLength: -1 } }), '/properties/a~1b/minLength'],
    ['a pattern that does not compile', objectSchema({ a: { pattern: '(' } }), '/properties/a/pattern'],
    [
      'a pattern of property names that does not compile',
      objectSchema({}, { patternProperties: { '[': {} } }),
      '/patternProperties',
    ],
    ['a reference to nothing', objectSchema({ a: { $ref: '#/$defs/b' } }), '/properties/a/$ref'],
    ['a reference to another document', objectSchema({ a: { $ref: 'https://files.example/b' } }), '/properties/a/$ref'],
    ['a reference to itself', { type: 'object', $ref: '#' }, '/'],
    ['an invalid URL as its id', { type: 'object', $id: 'http://' }, '/'],
  ])('A schema with %s is refused with an error that names the location', async (_, schema, at) => {
    await expect(readSchema(schema)).rejects.toMatchObject({ key: 'refusals.schemaInvalid', variables: { at } });
  });

  it.each([
    [
      'of draft 7',
      { $schema: 'http://json-schema.org/draft-07/schema#', ...objectSchema({ a: { items: [{}, true] } }) },
    ],
    ['with a recursive reference', objectSchema({ next: { $ref: '#' } })],
    ['with an anchor', objectSchema({ a: { $ref: '#x' } }, { $defs: { x: { $anchor: 'x', type: 'null' } } })],
    ['with conditions', objectSchema({}, { if: { required: ['a'] }, else: false, dependentRequired: { a: ['b'] } })],
    ['with properties named like keywords', objectSchema({ type: { type: 'string' }, $ref: {}, required: true })],
  ])('A schema %s is accepted', async (_, schema) => {
    expect(JSON.parse(await readSchema(schema))).toEqual(schema);
  });

  it('A schema that takes too long to check is refused after its time limit', async () => {
    const clock = new ManualClock();
    const definitions = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `d${index}`,
        { allOf: [1, 2].map(() => ({ $ref: `#/$defs/d${index + 1}` })) },
      ]),
    );
    const schema = objectSchema({}, { $ref: '#/$defs/d0', $defs: { ...definitions, d60: {} } });
    const result = readSchema(schema, openSchemas({ clock }));
    // Waits until the worker has started the job.
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5_000);
    await expect(result).rejects.toMatchObject({ key: 'refusals.schemaSlow' });
  });
});

describe('An answer and its schema', () => {
  const schema = JSON.stringify(objectSchema({ n: { type: 'number' } }, { required: ['n'] }));

  it('An answer that matches its schema is formatted without changing its numbers', async () => {
    const result = await openSchemas().check(schema, '{"n":1.10,"id":12345678901234567890}');
    expect(result?.text).toBe('{\n  "n": 1.10,\n  "id": 12345678901234567890\n}');
    expect(result?.check).toEqual({ misfits: [], count: 0, isUnfinished: false });
  });

  it('An answer in a code block is checked without the code block', async () => {
    expect((await openSchemas().check(schema, '```json\n{"n":1}\n```\n'))?.text).toBe('{\n  "n": 1\n}');
  });

  it('An answer that is not JSON is not checked', async () => {
    expect(await openSchemas().check(schema, 'The number is 1.')).toBeUndefined();
  });

  it('A deeply nested answer is checked and reported as a mismatch', async () => {
    const result = await openSchemas().check(schema, '['.repeat(100_000) + ']'.repeat(100_000));
    expect(result?.check).toMatchObject({ count: 1, misfits: [{ at: '', rule: 'type', expected: 'object' }] });
  });

  it('A pattern that backtracks endlessly leaves its answer unchecked and does not affect the next answer', async () => {
    const clock = new ManualClock();
    const schemas = openSchemas({ clock });
    const hostileSchema = await schemas.read(JSON.stringify(objectSchema({ a: { pattern: HOSTILE_PATTERN } })), 'm1');
    const answer = JSON.stringify({ a: BACKTRACKING_TEXT });
    const pendingCheck = schemas.check(hostileSchema, answer);
    clock.advance(5_000);
    expect(await pendingCheck).toEqual({ text: answer, check: { misfits: [], count: 0, isUnfinished: true } });
    expect((await schemas.check(schema, '{"n":"1"}'))?.check.count).toBe(1);
  });

  it('An answer that arrives while the bot is stopping is kept without a check', async () => {
    const schemas = openSchemas();
    await schemas.close();
    expect((await schemas.check(schema, '{}'))?.check.isUnfinished).toBe(true);
  });
});
