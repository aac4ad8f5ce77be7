import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../support/runs.ts';
import { createReader, endOf, eventsOf, joinDeltas, lineOf } from './reading.ts';

const stream = Buffer.from(
  [
    '\uFEFFevent: response.created\r\n',
    lineOf({ type: 'response.created', response: { id: 'resp_1', model: 'm' } }).replaceAll('\n', '\r\n'),
    ': ping\n\n',
    ...['Fü', 'chse ', '🦊🦊', ' und', '\n\n```ts\n', 'é', '\u2028', 'data: no line\n\n'].map((delta) =>
      lineOf({ type: 'response.output_text.delta', output_index: 0, delta }),
    ),
    lineOf({
      type: 'response.output_item.added',
      output_index: 1,
      item: { type: 'function_call', call_id: 'c', name: 'f' },
    }),
    ...['{"ä":', '"🦊"}'].map((delta) =>
      lineOf({ type: 'response.function_call_arguments.delta', output_index: 1, delta }),
    ),
    lineOf({ type: 'response.completed', response: { id: 'resp_1', output: [], usage: { input_tokens: 1 } } }),
    'data: [DONE]\n\n',
  ].join(''),
);

function split(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const boundaries = [
    ...new Set([0, ...positions.map((position) => position % (bytes.length + 1)), bytes.length]),
  ].sort((a, b) => a - b);
  return boundaries.slice(1).map((end, index) => bytes.subarray(boundaries[index], end));
}

describe('The reader of response streams', () => {
  it('The reader of response streams reads the same events from the same bytes, however they are split', async () => {
    const expected = await eventsOf([stream]);
    expect(endOf(expected)).toMatchObject({ end: 'completed', calls: [{ name: 'f', arguments: '{"ä":"🦊"}' }] });
    expect(endOf(expected).text).toContain('Füchse 🦊🦊 und\n\n```ts\né\u2028data: no line');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (positions) => {
        expect(await eventsOf(split(stream, positions))).toEqual(expected);
      }),
      { numRuns: runs(200, 40) },
    );
    expect(await eventsOf([...stream].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  it('The reader of response streams keeps the text so far and emits one end event, no matter where the stream is cut off', async () => {
    const { text } = endOf(await eventsOf([stream]));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: stream.length }), async (end) => {
        const events = await eventsOf([stream.subarray(0, end)]);
        expect(text.startsWith(endOf(events).text)).toBe(true);
        expect(joinDeltas(events, 'text')).toBe(endOf(events).text);
        expect(endOf(events).calls.length).toBeLessThanOrEqual(endOf(events).end === 'completed' ? 1 : 0);
      }),
      { numRuns: runs(300, 50) },
    );
  });

  const type = fc.constantFrom(
    ...['output_text.delta', 'output_text.done', 'refusal.delta', 'reasoning_summary_text.delta', 'output_item.added'],
    ...[
      'output_item.done',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'web_search_call.searching',
    ],
    ...['completed', 'incomplete', 'failed', 'created'],
  );
  const fieldValue = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('message', 'function_call', 'web_search_call', 'reasoning', 'a', '', 0, 1),
  );
  const fields = fc.dictionary(
    fc.constantFrom(
      'delta',
      'text',
      'item',
      'response',
      'output_index',
      'item_id',
      'arguments',
      'error',
      'type',
      'name',
      'content',
      'output',
      'usage',
      'status',
      'choices',
      'call_id',
      'id',
      'code',
    ),
    fieldValue,
    { maxKeys: 8 },
  );
  const frame = fc
    .record({ type, fields, item: fields, response: fields })
    .map(({ type: name, fields: body, item, response }) => ({ item, response, ...body, type: `response.${name}` }));

  it('The reader of response streams turns arbitrary JSON into valid events: exactly one end, whose text equals the joined deltas', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(frame, fields), { maxLength: 12 }), (bodies) => {
        const reader = createReader();
        const streamedEvents = bodies.flatMap((body) => {
          const record = body as Record<string, unknown>;
          return reader.readFrame({ type: typeof record.type === 'string' ? record.type : '', body: record });
        });
        const events = [...streamedEvents, ...reader.close()];
        const end = endOf(events);
        for (const textKind of ['text', 'refusal', 'reasoning'] as const)
          expect(joinDeltas(events, textKind)).toBe(end[textKind]);
        expect(events.filter(({ type: kind }) => kind === 'created').length).toBeLessThanOrEqual(1);
        const first = events.findIndex(({ type: kind }) => kind === 'created');
        expect(first).toBeLessThanOrEqual(0);
      }),
      { numRuns: runs(2_000, 200) },
    );
  });

  it('The reader of response streams turns any complete response into one end event', () => {
    fc.assert(
      fc.property(fc.oneof(fields, fc.jsonValue(), fc.record({ output: fc.array(fields), usage: fields })), (body) => {
        const reader = createReader();
        expect(() => endOf([...reader.readFullResponse(body), ...reader.close()])).not.toThrow();
      }),
      { numRuns: runs(1_000, 150) },
    );
  });
});
