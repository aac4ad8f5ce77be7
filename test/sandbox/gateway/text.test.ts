import { request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { type Bench, bench, type Json, LONG, profiles } from './bench.ts';

const path = '/v1/responses';
const model = 'inkwell/Quill-5-Reasoning-2026-02-14';
const ask = { model: 'quill-5', input: 'Tell me of foxes' };

/** The text of a stream, all of whose time passes at once. */
async function streamed({ gateway, clock }: Bench, body: object): Promise<string> {
  const answer = await open(gateway.url, body);
  const text = answer.body.text();
  // What is due is written when it is read, so that time passes until nothing more is written.
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

describe.each(profiles)('answers of a %s gateway', (profile) => {
  it('Answers of a gateway are response objects, the same for the same request', async () => {
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

  it('Answers of a gateway come as numbered events, in order, with the last one whole', async () => {
    const side = await bench({ profile });
    const text = await streamed(side, { ...ask, model, reasoning: { effort: 'low' } });
    const events = eventsIn(text);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    expect(events[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress', output: [] } });
    const { response } = events.at(-1);
    expect(events.at(-1).type).toBe('response.completed');
    const said = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : [])).join('');
    expect(response.output.at(-1).content[0].text).toBe(said);
    const thinks = profile === 'spec' ? 'response.reasoning_summary_text.delta' : 'response.reasoning_text.delta';
    expect(events.some(({ type }) => type === thinks)).toBe(true);
    expect(/^event: /m.test(text)).toBe(profile === 'spec');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(profile === 'stock');
  });

  it('Answers of a gateway come at the pace of the gateway’s own clock, and not before', async () => {
    const { gateway, clock } = await bench({ profile });
    const { body } = await open(gateway.url, { ...ask, input: '500 words of sand' });
    let came = '';
    body.on('data', (piece: Buffer) => {
      came += piece;
    });
    const ended = new Promise((resolve) => body.once('end', resolve));
    await vi.waitFor(() => expect(eventsIn(came)).toHaveLength(1));
    clock.advance(399);
    await new Promise((resolve) => setImmediate(resolve));
    expect(eventsIn(came)).toHaveLength(1);
    clock.advance(26);
    await vi.waitFor(() => expect(came).toContain('response.output_item.added'));
    const before = eventsIn(came).length;
    clock.advance(250);
    await vi.waitFor(() => expect(eventsIn(came).length).toBe(before + 10));
    gateway.setSpeed(100_000);
    clock.advance(1_000);
    await ended;
    expect(came).toContain('response.completed');
  });

  it('Answers of a gateway stop when no one listens any more', async () => {
    const { gateway } = await bench({ profile });
    const left = new AbortController();
    const { body } = await open(gateway.url, ask, left.signal);
    const over = body.text().catch((problem: Error) => problem.name);
    expect(gateway.writing).toBe(1);
    left.abort();
    expect(await over).toBe('AbortError');
    await vi.waitFor(() => expect(gateway.writing).toBe(0));
  });

  it('Call a tool that has to be called, and none that may not', async () => {
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
  ])('Answers of a gateway are refused to %j, naming %s', async (body, named) => {
    const { post, gateway } = await bench({ profile });
    const { status, json } = await post(path, body);
    expect(status).toBe(400);
    expect(json.error.message).toContain(named);
    expect(gateway.usage.total('sk-sandbox')).toBe(0n);
  });

  it('Answers of a gateway are charged by their tokens', async () => {
    const { post, gateway } = await bench({ profile });
    const { usage } = (await post(path, ask)).json;
    const total = BigInt(usage.total_tokens);
    expect(gateway.usage.total('sk-sandbox')).toBe(total * 1_250_000_000_000n);
  });

  it('Answers of a gateway refuse tools to those alone who send any', async () => {
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

  it('Answers of a gateway are noted for anyone who looks on, and meet troubles ordered for text alone', async () => {
    const side = await bench({ profile });
    side.gateway.faults.add({ on: { kind: 'text' }, do: 'server-error' });
    expect((await side.get('/v1/models')).status).toBe(200);
    expect((await side.post(path, ask)).status).toBe(500);
    await streamed(side, ask);
    await vi.waitFor(() => expect(side.gateway.heard.at(-1)).toMatchObject({ path, status: 200 }));
    expect(side.gateway.heard.at(-1)?.answer).toContain('response.completed');
  });
});

describe('what fits a schema', () => {
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
  ])('What fits a schema of %j is %j', async (schema, wanted) => {
    const { post } = await bench();
    const { json } = await post(path, { ...ask, text: { format: { type: 'json_schema', name: 'x', schema } } });
    expect(JSON.parse(json.output[0].content[0].text)).toEqual(wanted);
  });

  it('What fits a schema has an end, though the schema has none', async () => {
    const { post } = await bench();
    const schema = { $ref: '#/$defs/node', $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } };
    const { json } = await post(path, { ...ask, text: { format: { type: 'json_schema', name: 'x', schema } } });
    expect(json.output[0].content[0].text).toContain('null');
  });
});
