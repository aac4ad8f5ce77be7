import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { type Json, LONGER_THAN_ANY_JOB_MS, profiles, startTestGateway, type TestGateway } from './bench.ts';

const path = '/v1/responses';
const model = 'inkwell/Quill-5-Reasoning-2026-02-14';
const textRequest = { model: 'quill-5', input: 'Tell me of foxes' };

/** Advances the clock to the end of a stream and returns its text. */
async function streamText({ gateway, clock }: TestGateway, body: object): Promise<string> {
  const response = await startStream(gateway.url, body);
  const text = response.body.text();
  // Due text is written only while the stream is being read, so the clock is advanced until the stream has ended.
  for (let attempt = 0; gateway.streamCount > 0 && attempt < 1_000; attempt++) {
    clock.advance(LONGER_THAN_ANY_JOB_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return text;
}

const startStream = (url: string, body: object, signal?: AbortSignal) =>
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
  it('Text responses have the documented format, and identical requests have identical responses', async () => {
    const { post } = await startTestGateway({ profile });
    const { status, json } = await post(path, textRequest);
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
    const repeatedResponse = await (await startTestGateway({ profile })).post(path, textRequest);
    expect(repeatedResponse.json.output[0].content).toEqual(json.output[0].content);
  });

  it('Text responses are streamed as numbered events in order, and the last event contains the complete response', async () => {
    const fixture = await startTestGateway({ profile });
    const text = await streamText(fixture, { ...textRequest, model, reasoning: { effort: 'low' } });
    const events = eventsIn(text);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress', output: [] } });
    const { response } = events.at(-1);
    expect(events.at(-1).type).toBe('response.completed');
    const content = events
      .flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
      .join('');
    expect(response.output.at(-1).content[0].text).toBe(content);
    const reasoningType =
      profile === 'spec' ? 'response.reasoning_summary_text.delta' : 'response.reasoning_text.delta';
    expect(events.some(({ type }) => type === reasoningType)).toBe(true);
    expect(/^event: /m.test(text)).toBe(profile === 'spec');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(profile === 'stock');
  });

  it('Text responses are streamed on the gateway’s own clock', async () => {
    const { gateway, clock } = await startTestGateway({ profile });
    const { body } = await startStream(gateway.url, { ...textRequest, input: '500 words of sand' });
    let received = '';
    body.on('data', (chunk: Buffer) => {
      received += chunk;
    });
    const streamEnd = new Promise((resolve) => body.once('end', resolve));
    await expect.poll(() => eventsIn(received)).toHaveLength(1);
    clock.advance(399);
    await new Promise((resolve) => setImmediate(resolve));
    expect(eventsIn(received)).toHaveLength(1);
    clock.advance(26);
    await expect.poll(() => received).toContain('response.output_item.added');
    const eventCount = eventsIn(received).length;
    clock.advance(250);
    await expect.poll(() => eventsIn(received).length).toBe(eventCount + 10);
    gateway.setSpeed(100_000);
    clock.advance(1_000);
    await streamEnd;
    expect(received).toContain('response.completed');
  });

  it('A stream stops when its client disconnects', async () => {
    const { gateway } = await startTestGateway({ profile });
    const controller = new AbortController();
    const { body } = await startStream(gateway.url, textRequest, controller.signal);
    const outcome = body.text().catch((problem: Error) => problem.name);
    expect(gateway.streamCount).toBe(1);
    controller.abort();
    expect(await outcome).toBe('AbortError');
    await expect.poll(() => gateway.streamCount).toBe(0);
  });

  it('Text responses call a tool if one is required, and none if tools are forbidden', async () => {
    const { post } = await startTestGateway({ profile });
    const tools = [
      { type: 'function', name: 'look_up', parameters: { type: 'object', properties: { query: { type: 'string' } } } },
    ];
    const outputFor = async (overrides: object) =>
      (await post(path, { ...textRequest, tools, ...overrides })).json.output;
    expect(await outputFor({ tool_choice: 'required' })).toMatchObject([
      {
        type: 'function_call',
        name: 'look_up',
        call_id: expect.any(String),
        arguments: JSON.stringify({ query: textRequest.input }),
      },
    ]);
    expect(await outputFor({})).toMatchObject([{ type: 'message' }]);
    expect(await outputFor({ input: 'look up foxes', tool_choice: 'none' })).toMatchObject([{ type: 'message' }]);
  });

  it.each([
    [{ input: 'x' }, 'model'],
    [{ model: 'quill-5' }, 'input'],
    [{ model: 'quill-5', input: [] }, 'input'],
    [{ ...textRequest, text: { format: { type: 'xml' } } }, 'text'],
    [{ ...textRequest, max_output_tokens: 0 }, 'max_output_tokens'],
    [{ ...textRequest, model: 'lumen-image-1' }, 'lumen-image-1'],
  ])('The request %j is refused, and the refusal names %s', async (body, expectedName) => {
    const { post, gateway } = await startTestGateway({ profile });
    const { status, json } = await post(path, body);
    expect(status).toBe(400);
    expect(json.error.message).toContain(expectedName);
    expect(gateway.usage.total('sk-sandbox')).toBe(0n);
  });

  it('Text responses are charged by their tokens', async () => {
    const { post, gateway } = await startTestGateway({ profile });
    const { usage } = (await post(path, textRequest)).json;
    const total = BigInt(usage.total_tokens);
    expect(gateway.usage.total('sk-sandbox')).toBe(total * 1_250_000_000_000n);
  });

  it('An image costs the same whatever its size', async () => {
    const { post } = await startTestGateway({ profile });
    const tokensFor = async (bytes: number) => {
      const image_url = `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}`;
      const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];
      return (await post(path, { ...textRequest, input })).json.usage.input_tokens;
    };
    expect(await tokensFor(30_000)).toBe(await tokensFor(30));
  });

  it('The fault no-tools makes the gateway refuse the next request with tools, and does not affect other requests', async () => {
    const { post, gateway } = await startTestGateway({ profile });
    gateway.faults.add({ do: 'no-tools' });
    expect((await post(path, textRequest)).status).toBe(200);
    const { status, json } = await post(path, { ...textRequest, tools: [{ type: 'web_search' }] });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      code: 'unsupported_parameter',
      ...(profile === 'stock' ? { param: 'tools' } : {}),
    });
    expect((await post(path, { ...textRequest, tools: [{ type: 'web_search' }] })).status).toBe(200);
  });

  it('Text responses are recorded, and faults can be limited to text', async () => {
    const fixture = await startTestGateway({ profile });
    fixture.gateway.faults.add({ on: { kind: 'text' }, do: 'server-error' });
    expect((await fixture.get('/v1/models')).status).toBe(200);
    expect((await fixture.post(path, textRequest)).status).toBe(500);
    await streamText(fixture, textRequest);
    await expect.poll(() => fixture.gateway.requests.at(-1)).toMatchObject({ path, status: 200 });
    expect(fixture.gateway.requests.at(-1)?.responseText).toContain('response.completed');
  });
});

describe('A JSON schema in a request', () => {
  const closedSchema = { type: 'object', properties: {}, additionalProperties: false };

  it.each([
    ['without a name', { schema: closedSchema }],
    ['with an invalid name', { name: 'a b', schema: closedSchema }],
    ['without a schema', { name: 'x' }],
    ['without an object at its root', { name: 'x', schema: { type: 'array', items: {} } }],
    ['with an unknown field', { name: 'x', schema: closedSchema, json_schema: closedSchema }],
    [
      'that is strict but allows additional properties',
      { name: 'x', strict: true, schema: { type: 'object', properties: {} } },
    ],
    [
      'that is strict but has an optional property',
      { name: 'x', strict: true, schema: { ...closedSchema, properties: { a: { type: 'string' } } } },
    ],
    [
      'that is strict but has an unsupported keyword in a definition',
      { name: 'x', strict: true, schema: { ...closedSchema, $defs: { a: { type: 'string', minLength: 1 } } } },
    ],
  ])('A request is refused for a format %s', async (_, format) => {
    const { post } = await startTestGateway();
    const { status } = await post(path, { ...textRequest, text: { format: { type: 'json_schema', ...format } } });
    expect(status).toBe(400);
  });

  it('A request is accepted if its schema is strict and closed, or not strict', async () => {
    const { post } = await startTestGateway();
    const openSchema = { type: 'object', properties: { a: { type: 'string', minLength: 1 } } };
    for (const format of [
      { strict: true, schema: closedSchema },
      { strict: false, schema: openSchema },
      { schema: openSchema },
    ]) {
      const text = { format: { type: 'json_schema', name: 'x', ...format } };
      expect((await post(path, { ...textRequest, text })).status).toBe(200);
    }
  });
});

describe('The values for a JSON schema', () => {
  const objectSchema = (properties: object, overrides: object = {}) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    ...overrides,
  });
  it.each([
    [objectSchema({ n: { type: 'integer', minimum: 40, maximum: 41 } }), { n: 40 }],
    [
      objectSchema({ s: { type: 'string', maxLength: 2 }, d: { type: 'string', format: 'date' } }),
      { s: expect.stringMatching(/^.{1,2}$/u), d: '2026-01-01' },
    ],
    [
      objectSchema({ c: { const: 7 }, b: { type: 'boolean' }, z: { type: 'null' } }),
      { c: 7, b: expect.any(Boolean), z: null },
    ],
    [
      objectSchema(
        { l: { type: 'array', minItems: 3, items: { $ref: '#/$defs/e' } } },
        { $defs: { e: { enum: ['x'] } } },
      ),
      { l: ['x', 'x', 'x'] },
    ],
    [objectSchema({ a: { anyOf: [{ type: 'number' }, { type: 'null' }] } }), { a: expect.any(Number) }],
  ])('The value for the schema %j is %j', async (schema, expected) => {
    const { post } = await startTestGateway();
    const { json } = await post(path, { ...textRequest, text: { format: { type: 'json_schema', name: 'x', schema } } });
    expect(JSON.parse(json.output[0].content[0].text)).toEqual(expected);
  });

  it('The value for a recursive schema is finite', async () => {
    const { post } = await startTestGateway();
    const schema = {
      type: 'object',
      $ref: '#/$defs/node',
      $defs: { node: objectSchema({ next: { $ref: '#/$defs/node' } }) },
    };
    const { json } = await post(path, { ...textRequest, text: { format: { type: 'json_schema', name: 'x', schema } } });
    expect(json.output[0].content[0].text).toContain('null');
  });
});
