import { request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { type Bench, bench, type Json, LONG, profiles } from './bench.ts';

const path = '/v1/responses';
const model = 'inkwell/Quill-5-Reasoning-2026-02-14';
const ask = { model: 'quill-5', input: 'Tell me of foxes' };

/** Advances the clock to the end of a stream and returns its text. */
async function streamText({ gateway, clock }: Bench, body: object): Promise<string> {
  const answer = await open(gateway.url, body);
  const text = answer.body.text();
  // Text that is due is only written when the stream is read, so the clock advances until nothing more is written.
  for (let turn = 0; gateway.writing > 0 && turn < 1_000; turn++) {
    clock.advance(LONG);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return text;
}

const open = (url: string, body: object, signal?: AbortSignal) =>
  request(url + path, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-sandbox', 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, ...body }),
    ...(signal && { signal }),
  });

const eventsIn = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));

describe.each(profiles)('The text responses of the %s gateway profile', (profile) => {
  it('Text responses are response objects and identical for identical requests', async () => {
    const { post } = await bench({ profile });
    const { status, json } = await post(path, ask);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'quill-5',
    });
    expect(json.output).toMatchObject([{ type: 'message', role: 'assistant', content: [{ type: 'output_text' }] }]);
    expect(json.output[0].content[0].text).toContain(
      'This is the sandbox speaking, and no model has thought about this.',
    );
    expect(json.usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
    expect(json).not.toHaveProperty('output_text');
    expect(Number.isInteger(json.created_at)).toBe(profile === 'spec' || json.created_at % 1 === 0);
    const again = await (await bench({ profile })).post(path, ask);
    expect(again.json.output[0].content).toEqual(json.output[0].content);
  });

  it('Text responses are streamed as numbered events in order, and the last one is complete', async () => {
    const fixture = await bench({ profile });
    const text = await streamText(fixture, { ...ask, model, reasoning: { effort: 'low' } });
    const events = eventsIn(text);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    expect(events[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress', output: [] } });
    const { response } = events.at(-1);
    expect(events.at(-1).type).toBe('response.completed');
    const content = events
      .flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
      .join('');
    expect(response.output.at(-1).content[0].text).toBe(content);
    const thinks = profile === 'spec' ? 'response.reasoning_summary_text.delta' : 'response.reasoning_text.delta';
    expect(events.some(({ type }) => type === thinks)).toBe(true);
    expect(/^event: /m.test(text)).toBe(profile === 'spec');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(profile === 'stock');
  });

  it('Text responses are streamed on the gateway’s own clock', async () => {
    const { gateway, clock } = await bench({ profile });
    const { body } = await open(gateway.url, { ...ask, input: '500 words of sand' });
    let received = '';
    body.on('data', (chunk: Buffer) => {
      received += chunk;
    });
    const ended = new Promise((resolve) => body.once('end', resolve));
    await vi.waitFor(() => expect(eventsIn(received)).toHaveLength(1));
    clock.advance(399);
    await new Promise((resolve) => setImmediate(resolve));
    expect(eventsIn(received)).toHaveLength(1);
    clock.advance(26);
    await vi.waitFor(() => expect(received).toContain('response.output_item.added'));
    const before = eventsIn(received).length;
    clock.advance(250);
    await vi.waitFor(() => expect(eventsIn(received).length).toBe(before + 10));
    gateway.setSpeed(100_000);
    clock.advance(1_000);
    await ended;
    expect(received).toContain('response.completed');
  });

  it('A stream stops when its client disconnects', async () => {
    const { gateway } = await bench({ profile });
    const left = new AbortController();
    const { body } = await open(gateway.url, ask, left.signal);
    const over = body.text().catch((problem: Error) => problem.name);
    expect(gateway.writing).toBe(1);
    left.abort();
    expect(await over).toBe('AbortError');
    await vi.waitFor(() => expect(gateway.writing).toBe(0));
  });

  it('Text responses call a required tool, and no forbidden one', async () => {
    const { post } = await bench({ profile });
    const tools = [
      { type: 'function', name: 'look_up', parameters: { type: 'object', properties: { query: { type: 'string' } } } },
    ];
    const called = async (more: object) => (await post(path, { ...ask, tools, ...more })).json.output;
    expect(await called({ tool_choice: 'required' })).toMatchObject([
      {
        type: 'function_call',
        name: 'look_up',
        call_id: expect.any(String),
        arguments: JSON.stringify({ query: ask.input }),
      },
    ]);
    expect(await called({})).toMatchObject([{ type: 'message' }]);
    expect(await called({ input: 'look up foxes', tool_choice: 'none' })).toMatchObject([{ type: 'message' }]);
  });

  it.each([
    [{ input: 'x' }, 'model'],
    [{ model: 'quill-5' }, 'input'],
    [{ model: 'quill-5', input: [] }, 'input'],
    [{ ...ask, text: { format: { type: 'xml' } } }, 'text'],
    [{ ...ask, max_output_tokens: 0 }, 'max_output_tokens'],
    [{ ...ask, model: 'lumen-image-1' }, 'lumen-image-1'],
  ])('The request %j is refused, and the refusal names %s', async (body, named) => {
    const { post, gateway } = await bench({ profile });
    const { status, json } = await post(path, body);
    expect(status).toBe(400);
    expect(json.error.message).toContain(named);
    expect(gateway.usage.total('sk-sandbox')).toBe(0n);
  });

  it('Text responses are charged by their tokens', async () => {
    const { post, gateway } = await bench({ profile });
    const { usage } = (await post(path, ask)).json;
    const total = BigInt(usage.total_tokens);
    expect(gateway.usage.total('sk-sandbox')).toBe(total * 1_250_000_000_000n);
  });

  it('Tools are refused if that quirk is set, and only requests with tools are affected', async () => {
    const { post, gateway } = await bench({ profile });
    gateway.faults.add({ do: 'no-tools' });
    expect((await post(path, ask)).status).toBe(200);
    const { status, json } = await post(path, { ...ask, tools: [{ type: 'web_search' }] });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      code: 'unsupported_parameter',
      ...(profile === 'stock' ? { param: 'tools' } : {}),
    });
    expect((await post(path, { ...ask, tools: [{ type: 'web_search' }] })).status).toBe(200);
  });

  it('Text responses are recorded, and faults can be limited to text', async () => {
    const fixture = await bench({ profile });
    fixture.gateway.faults.add({ on: { kind: 'text' }, do: 'server-error' });
    expect((await fixture.get('/v1/models')).status).toBe(200);
    expect((await fixture.post(path, ask)).status).toBe(500);
    await streamText(fixture, ask);
    await vi.waitFor(() => expect(fixture.gateway.heard.at(-1)).toMatchObject({ path, status: 200 }));
    expect(fixture.gateway.heard.at(-1)?.responseText).toContain('response.completed');
  });
});

describe('A JSON schema in a request', () => {
  const closed = { type: 'object', properties: {}, additionalProperties: false };

  it.each([
    ['without a name', { schema: closed }],
    ['with an invalid name', { name: 'a b', schema: closed }],
    ['without a schema', { name: 'x' }],
    ['without an object at its root', { name: 'x', schema: { type: 'array', items: {} } }],
    ['with an unknown field', { name: 'x', schema: closed, json_schema: closed }],
    ['that is strict but open', { name: 'x', strict: true, schema: { type: 'object', properties: {} } }],
    [
      'that is strict and requires too little',
      { name: 'x', strict: true, schema: { ...closed, properties: { a: { type: 'string' } } } },
    ],
    [
      'that is strict and has an unsupported keyword within',
      { name: 'x', strict: true, schema: { ...closed, $defs: { a: { type: 'string', minLength: 1 } } } },
    ],
  ])('A request is refused for a format %s', async (_, format) => {
    const { post } = await bench();
    const { status } = await post(path, { ...ask, text: { format: { type: 'json_schema', ...format } } });
    expect(status).toBe(400);
  });

  it('A request is accepted with a schema that is strict, or not strict and open', async () => {
    const { post } = await bench();
    const open = { type: 'object', properties: { a: { type: 'string', minLength: 1 } } };
    for (const format of [{ strict: true, schema: closed }, { strict: false, schema: open }, { schema: open }]) {
      const text = { format: { type: 'json_schema', name: 'x', ...format } };
      expect((await post(path, { ...ask, text })).status).toBe(200);
    }
  });
});

describe('The values for a JSON schema', () => {
  const object = (properties: object, more: object = {}) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    ...more,
  });
  it.each([
    [object({ n: { type: 'integer', minimum: 40, maximum: 41 } }), { n: 40 }],
    [
      object({ s: { type: 'string', maxLength: 2 }, d: { type: 'string', format: 'date' } }),
      { s: expect.stringMatching(/^.{1,2}$/u), d: '2026-01-01' },
    ],
    [
      object({ c: { const: 7 }, b: { type: 'boolean' }, z: { type: 'null' } }),
      { c: 7, b: expect.any(Boolean), z: null },
    ],
    [
      object({ l: { type: 'array', minItems: 3, items: { $ref: '#/$defs/e' } } }, { $defs: { e: { enum: ['x'] } } }),
      { l: ['x', 'x', 'x'] },
    ],
    [object({ a: { anyOf: [{ type: 'number' }, { type: 'null' }] } }), { a: expect.any(Number) }],
  ])('The value for the schema %j is %j', async (schema, wanted) => {
    const { post } = await bench();
    const { json } = await post(path, { ...ask, text: { format: { type: 'json_schema', name: 'x', schema } } });
    expect(JSON.parse(json.output[0].content[0].text)).toEqual(wanted);
  });

  it('The value for a recursive schema is finite', async () => {
    const { post } = await bench();
    const schema = {
      type: 'object',
      $ref: '#/$defs/node',
      $defs: { node: object({ next: { $ref: '#/$defs/node' } }) },
    };
    const { json } = await post(path, { ...ask, text: { format: { type: 'json_schema', name: 'x', schema } } });
    expect(json.output[0].content[0].text).toContain('null');
  });
});
