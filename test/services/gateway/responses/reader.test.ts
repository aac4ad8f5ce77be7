import { describe, expect, it } from 'vitest';
import { MAX_ANSWER_LENGTH } from '../../../../src/services/gateway/responses/output.ts';
import { createReader, endOf, joinDeltas, read } from './reading.ts';

const createdEvent = { type: 'response.created', response: { id: 'resp_1', model: 'm', created_at: 1.5e9 } };
const textEvent = (delta: string, fields: object = {}) => ({
  type: 'response.output_text.delta',
  output_index: 0,
  delta,
  ...fields,
});
const completedEvent = (response: object = {}) => ({
  type: 'response.completed',
  response: { id: 'resp_1', ...response },
});
const message = (content: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: content }],
});

describe('A streamed response', () => {
  it('A streamed response begins once, reports its text piece by piece, and ends once with the full text', async () => {
    const events = await read(
      createdEvent,
      { ...createdEvent, type: 'response.in_progress' },
      textEvent('Hel'),
      textEvent('lo'),
      completedEvent(),
    );
    expect(events.map(({ type }) => type)).toEqual(['created', 'text', 'text', 'completed']);
    expect(events[0]).toMatchObject({ id: 'resp_1', model: 'm' });
    expect(endOf(events)).toMatchObject({ end: 'completed', id: 'resp_1', text: 'Hello', calls: [], error: undefined });
  });

  it.each([
    ['without any opening event', [textEvent('Hi'), completedEvent()]],
    [
      'with event names and comments in between',
      [': ping\n\n', 'event: response.output_text.delta\ndata: {"delta":"Hi"}\n\n', completedEvent()],
    ],
    [
      'with carriage returns, no space and event ids',
      [`id: 7\r\nevent:x\r\ndata:${JSON.stringify(textEvent('Hi'))}\r\n\r\n`, completedEvent()],
    ],
    [
      'with lines that are not JSON in between',
      ['data: keep-alive\n\ndata: {"half":\n\ndata: null\n\ndata: [1]\n\n', textEvent('Hi'), completedEvent()],
    ],
    ['with an empty output at its end', [textEvent('Hi'), completedEvent({ output: [] })]],
    [
      'with the whole text repeated three times',
      [
        textEvent('Hi'),
        { type: 'response.output_text.done', output_index: 0, text: 'Hi' },
        { type: 'response.output_item.done', output_index: 0, item: message('Hi') },
        completedEvent({ output: [message('Hi')] }),
      ],
    ],
    [
      'with the text repeated under another index',
      [
        textEvent('Hi'),
        { type: 'response.output_text.done', output_index: 3, text: 'Hi' },
        completedEvent({ output: [{ type: 'reasoning', summary: [] }, message('Hi')] }),
      ],
    ],
    ['sent only in its last event', [createdEvent, completedEvent({ output: [message('Hi')] })]],
    ['sent as deltas, without the final event', [textEvent('H'), completedEvent({ output: [message('Hi')] })]],
    ['as plain output_text', [completedEvent({ output_text: 'Hi' })]],
    [
      'with empty error fields',
      [
        { ...textEvent('Hi'), error: {} },
        { ...completedEvent(), error: { code: '', message: null } },
      ],
    ],
    ['ended by [DONE] only', [textEvent('Hi'), 'data: [DONE]\n\n']],
    ['without an empty line after the last event', [textEvent('Hi'), `data: ${JSON.stringify(completedEvent())}`]],
    [
      'as a chat completion',
      [
        { id: 'c', choices: [{ delta: { content: 'H' } }] },
        { choices: [{ delta: { content: 'i' }, finish_reason: 'stop' }] },
      ],
    ],
  ])('A streamed response is read correctly: %s', async (_name, lines) => {
    const events = await read(...lines);
    expect(endOf(events)).toMatchObject({ end: 'completed', text: 'Hi' });
    expect(joinDeltas(events, 'text')).toBe('Hi');
    expect(events[0]?.type).toBe('created');
  });

  it('A streamed response keeps the text that has been read if the last event contains a different text', async () => {
    const events = await read(textEvent('Hello'), completedEvent({ output: [message('Goodbye')] }));
    expect(endOf(events).text).toBe('Hello');
    expect(joinDeltas(events, 'text')).toBe('Hello');
  });

  it('A streamed response begins a new paragraph for each further message, but none within a message', async () => {
    const events = await read(
      textEvent('Let me look.'),
      textEvent('Here', { output_index: 2, content_index: 0 }),
      textEvent(' it is.', { output_index: 2, content_index: 1 }),
      completedEvent(),
    );
    expect(endOf(events).text).toBe('Let me look.\n\nHere it is.');
    expect(joinDeltas(events, 'text')).toBe(endOf(events).text);
  });

  it('A streamed response keeps refusals and reasoning apart from the text', async () => {
    const reasoningDelta = (delta: string, summary_index: number) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index,
      delta,
    });
    const events = await read(
      reasoningDelta('One.', 0),
      reasoningDelta('Two.', 1),
      { type: 'response.refusal.delta', output_index: 1, delta: 'No.' },
      completedEvent(),
    );
    expect(endOf(events)).toMatchObject({ text: '', refusal: 'No.', reasoning: 'One.\n\nTwo.' });
    expect(joinDeltas(events, 'reasoning')).toBe('One.\n\nTwo.');
  });

  it('A streamed response reports usage under either set of field names, and that a limit was reached', async () => {
    const usage = {
      input_tokens: 5,
      output_tokens: 7,
      total_tokens: 12,
      output_tokens_details: { reasoning_tokens: 3 },
    };
    const [, end] = await read(createdEvent, {
      type: 'response.incomplete',
      response: { usage, incomplete_details: { reason: 'max_output_tokens' } },
    });
    expect(end).toMatchObject({
      type: 'incomplete',
      response: {
        reason: 'max_output_tokens',
        usage: { input: 5, cached: undefined, output: 7, reasoning: 3, total: 12 },
      },
    });
    const chatEvents = await read(
      textEvent('x'),
      completedEvent({ usage: { prompt_tokens: 1, completion_tokens: '2', total_tokens: 3 } }),
    );
    expect(endOf(chatEvents).usage).toMatchObject({ input: 1, output: 2, total: 3 });
    expect(endOf(await read(textEvent('x'), completedEvent({ status: 'incomplete' }))).end).toBe('incomplete');
  });

  it('A streamed response that ends in the middle keeps the text received so far and reports the early end', async () => {
    const events = await read(createdEvent, textEvent('Hel'));
    expect(endOf(events)).toMatchObject({
      end: 'ended-early',
      text: 'Hel',
      error: { kind: 'malformed', code: 'ended_early', mayHaveTakenEffect: true },
    });
  });

  it.each([
    ['no data', ''],
    ['an HTML page', '<html><body>Hello</body></html>'],
    ['unknown events', 'data: {"type":"ping"}\n\n'],
  ])('A streamed response that consists of %s produces an end event but no start event', async (_name, line) => {
    const events = await read(line);
    expect(events).toHaveLength(1);
    expect(endOf(events)).toMatchObject({ end: 'ended-early', error: { code: 'ended_early' } });
  });

  it('A streamed response reports nothing after its end', async () => {
    const events = await read(textEvent('Hi'), completedEvent(), textEvent('more'), { type: 'error', message: 'late' });
    expect(endOf(events)).toMatchObject({ end: 'completed', text: 'Hi' });
  });
});

describe('An error within a streamed response', () => {
  const serverError = { code: 'server_error', message: 'The engine broke.' };
  it.each([
    ['flat', { type: 'error', ...serverError, param: null }],
    ['nested', { type: 'error', error: serverError }],
    ['without a type', { error: serverError }],
    ['for the whole response', { type: 'response.failed', response: { status: 'failed', error: serverError } }],
    [
      'in an event of the type `response.completed`',
      { type: 'response.completed', response: { status: 'failed', error: serverError } },
    ],
  ])(
    'An error within a streamed response ends it as failed, with the text received so far: %s',
    async (_shape, event) => {
      const events = await read(createdEvent, textEvent('Hel'), event);
      expect(endOf(events)).toMatchObject({
        end: 'failed',
        text: 'Hel',
        error: { kind: 'unavailable', code: 'server_error', message: 'The engine broke.', mayHaveTakenEffect: true },
      });
    },
  );

  it('The message of an error within a streamed response contains no secret and no markup, and is never empty', async () => {
    const end = endOf(await read({ error: { message: 'Incorrect key sk-secret <b>given</b>' } }));
    expect(end.error?.message).toBe('Incorrect key [hidden] given');
    expect(endOf(await read({ error: 'overloaded' })).error?.message).toBe('overloaded');
    expect(endOf(await read({ type: 'error' })).error?.message.length).toBeGreaterThan(10);
  });

  it('An error within a streamed response is a definite refusal only if no text has arrived', async () => {
    const refusal = { type: 'invalid_request_error', param: 'tools', code: null, message: 'No tools here.' };
    const [end, ...rest] = await read({ type: 'response.failed', response: { error: refusal } });
    expect(rest).toEqual([]);
    expect(end).toMatchObject({ response: { error: { kind: 'invalid', param: 'tools', mayHaveTakenEffect: false } } });
    const lateEnd = endOf(await read(textEvent('Well'), { error: refusal }));
    expect(lateEnd.error?.mayHaveTakenEffect).toBe(true);
  });
});

describe('The tool calls of a streamed response', () => {
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '' };
  const delta = (chunk: string) => ({
    type: 'response.function_call_arguments.delta',
    item_id: 'fc_1',
    output_index: 0,
    delta: chunk,
  });
  const fullCall = { callId: 'call_1', name: 'look', arguments: '{"at":1}' };

  it('Tool calls grow and are reported completely once, however often they are repeated', async () => {
    const events = await read(
      { type: 'response.output_item.added', output_index: 0, item },
      delta('{"at'),
      delta('":1}'),
      { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, arguments: '{"at":1}' },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: '{"at":1}' } },
      completedEvent({ output: [{ ...item, arguments: '{"at":1}' }] }),
    );
    expect(endOf(events).calls).toEqual([fullCall]);
  });

  it.each([
    ['only in the last event', [completedEvent({ output: [{ ...item, arguments: '{"at":1}' }] })]],
    ['with arguments as an object', [completedEvent({ output: [{ ...item, arguments: { at: 1 } }] })]],
    [
      'whose name arrives late',
      [
        delta('{"at":1}'),
        { type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: '{"at":1}' } },
        completedEvent(),
      ],
    ],
    [
      'without a closing event',
      [{ type: 'response.output_item.added', output_index: 0, item }, delta('{"at":1}'), completedEvent()],
    ],
    [
      'as a chat completion that repeats the name',
      [
        {
          choices: [
            { delta: { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look', arguments: '{"at' } }] } },
          ],
        },
        {
          choices: [
            {
              delta: { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look', arguments: '":1}' } }] },
              finish_reason: 'tool_calls',
            },
          ],
        },
      ],
    ],
  ])('Tool calls are read correctly: %s', async (_name, lines) => {
    const events = await read(...lines);
    expect(endOf(events)).toMatchObject({ end: 'completed', calls: [fullCall] });
  });

  it('Truncated tool calls are not reported', async () => {
    const events = await read({ type: 'response.output_item.added', output_index: 0, item }, delta('{"at'));
    expect(endOf(events).calls).toEqual([]);
  });

  it('Tool calls are kept apart when two are streamed simultaneously', async () => {
    const secondItem = { ...item, id: 'fc_2', call_id: 'call_2' };
    const deltaFor = (output_index: number, chunk: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index,
      delta: chunk,
    });
    const events = await read(
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.added', output_index: 1, item: secondItem },
      ...[deltaFor(0, '{"a'), deltaFor(1, '{"b'), deltaFor(0, '":1}'), deltaFor(1, '":2}')],
      completedEvent(),
    );
    expect(endOf(events).calls.map((call) => call.arguments)).toEqual(['{"a":1}', '{"b":2}']);
  });
});

describe('A response that is not streamed', () => {
  const readWhole = (body: unknown) => {
    const reader = createReader();
    return [...reader.readFullResponse(body), ...reader.close()];
  };
  it.each([
    ['a response', { id: 'r', object: 'response', status: 'completed', error: null, output: [message('Hi')] }],
    ['a response in an envelope', { code: 'success', data: { id: 'r', output: [message('Hi')] } }],
    [
      'a chat completion',
      { id: 'r', choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] },
    ],
    ['plain text', { output_text: 'Hi' }],
  ])('A response that is not streamed is read as %s', (_name, body) => {
    expect(endOf(readWhole(body))).toMatchObject({ end: 'completed', text: 'Hi' });
  });

  it.each([[null], [[]], [{}], ['Hi'], [{ choices: [] }], [{ object: 'response', status: 'queued', output: [] }]])(
    'A response that is not streamed is reported as ended early if it is %j',
    (body) => {
      expect(endOf(readWhole(body)).end).toBe('ended-early');
    },
  );
});

describe('A response that is too long', () => {
  const half = 'a'.repeat(MAX_ANSWER_LENGTH / 2);
  const call = { type: 'function_call', call_id: 'c', name: 'make_image' };
  const argumentsEvent = { type: 'response.function_call_arguments.delta', output_index: 1, delta: half };

  const completed = { type: 'response.completed', body: completedEvent() };

  it.each([
    ['its text', [1, 2, 3].map(() => textEvent(half)), MAX_ANSWER_LENGTH],
    ['its last event', [textEvent(half), completedEvent({ output: [message(half.repeat(3))] })], MAX_ANSWER_LENGTH],
    ['its reasoning', [1, 2, 3].map(() => textEvent(half, { type: 'response.reasoning_text.delta' })), 0],
    [
      'the arguments of a call',
      [{ type: 'response.output_item.added', output_index: 1, item: call }, ...[1, 2, 3].map(() => argumentsEvent)],
      0,
    ],
    [
      'its many calls',
      Array.from({ length: 2_200 }, (_, index) => ({
        type: 'response.output_item.done',
        item: { ...call, call_id: `c${index}`, arguments: half.slice(0, 1_000) },
      })),
      0,
    ],
  ])('It ends early because of %s, keeps the text before, and runs no call', (_name, bodies, length) => {
    const reader = createReader();
    const events = bodies.flatMap((body) => reader.readFrame({ type: body.type, body }));
    if (!reader.isOver) events.push(...reader.readFrame(completed));
    const { end, text, calls, error } = endOf(events);
    expect([end, text.length, calls, error?.code, error?.mayHaveTakenEffect]).toEqual([
      'ended-early',
      length,
      [],
      'too_large',
      true,
    ]);
    expect(joinDeltas(events, 'text')).toBe(text);
  });

  it('If it is not streamed, it is cut in the same way', () => {
    const reader = createReader();
    const events = reader.readFullResponse({ output: [message(half.repeat(3))] });
    expect(endOf(events)).toMatchObject({ end: 'ended-early', text: half.repeat(2), error: { code: 'too_large' } });
  });
});
