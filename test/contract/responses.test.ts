import { describe, expect, it } from 'vitest';
import type { TextFaultKind } from '../../sandbox/gateway/text/fault.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { TextEvent, TextResponse } from '../../src/services/gateway/response-events.ts';
import { refusedPart, type TextRequest, type TextTool } from '../../src/services/gateway/text-request.ts';
import { itVariants } from '../support/variants.ts';
import {
  type Fixture,
  type FixtureOptions,
  failureOf,
  lastRequest,
  openFixture,
  profiles,
  redImage,
  responseOf,
} from './both.ts';

const path = '/v1/responses';
const model = 'inkwell/Quill-5-Reasoning-2026-02-14';
const baseRequest: TextRequest = { model, input: 'Tell me of foxes and lanterns', effort: 'low' };
const makeImage = {
  type: 'function',
  name: 'make_image',
  description: 'Makes a picture',
  parameters: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
} satisfies TextTool;

/** Starts a gateway that is so fast by default that a response takes milliseconds. */
const fastGateway = (options: FixtureOptions = {}): Promise<Fixture> =>
  openFixture({ clock: systemClock, speed: 10_000, ...options });

async function collect(events: AsyncIterable<TextEvent>): Promise<TextEvent[]> {
  const received: TextEvent[] = [];
  for await (const event of events) received.push(event);
  return received;
}

function endOf(events: readonly TextEvent[]): TextResponse {
  const end = events.at(-1);
  if (!end || !('response' in end)) throw new Error(`No end: ${JSON.stringify(end)}`);
  expect(events.filter((event) => 'response' in event)).toHaveLength(1);
  expect(end.response.end).toBe(end.type);
  return end.response;
}

const textOf = (events: readonly TextEvent[]) =>
  events.flatMap((one) => (one.type === 'text' ? [one.delta] : [])).join('');

describe.each(profiles)('Text responses of a %s gateway', (profile) => {
  it('Text responses are the same whether they are streamed or not', async () => {
    const { gateway } = await fastGateway({ profile });
    const unstreamed = await responseOf(gateway, baseRequest);
    const events = await collect(gateway.responses.stream(baseRequest));
    const { id, ...streamed } = endOf(events);
    expect(streamed).toEqual({ ...unstreamed, id: undefined, ...streamed });
    expect({ ...streamed, id }).toEqual({ ...unstreamed, id });
    expect(unstreamed).toMatchObject({ end: 'completed', model, calls: [], refusal: '', error: undefined });
    expect(unstreamed.text).toContain('This is the sandbox speaking');
    expect(unstreamed.text).toContain('lanterns');
    expect(unstreamed.reasoning).toContain('Thought 1');
    expect(unstreamed.usage?.total).toBeGreaterThan(0);
    expect(textOf(events)).toBe(unstreamed.text);
    expect(events[0]).toMatchObject({ type: 'created', model, id });
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(20);
  });

  it('Text responses are requested in the wire format', async () => {
    const closedSchema = { type: 'object', additionalProperties: false };
    const fixture = await fastGateway({ profile });
    await responseOf(fixture.gateway, {
      model,
      input: [
        { role: 'user', content: 'make image of a fox' },
        { type: 'call', callId: 'call_1', name: 'make_image', arguments: '{}' },
        { type: 'call-output', callId: 'call_1', output: 'It is done' },
        { role: 'assistant', content: [{ type: 'text', text: 'There.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And this?' },
            { type: 'image', image: redImage },
            { type: 'file', name: 'a.txt', data: 'data:text/plain;base64,YQ==' },
            { type: 'file', address: 'https://files.example/b.pdf' },
          ],
        },
      ],
      instructions: 'Be brief',
      tools: [makeImage, { type: 'web-search' }],
      toolChoice: 'none',
      effort: 'low',
      format: { type: 'schema', name: 'fox', schema: closedSchema, strict: true },
    });
    const { parameters, ...otherToolFields } = makeImage;
    expect(lastRequest(fixture, path).body).toEqual({
      model,
      instructions: 'Be brief',
      tool_choice: 'none',
      input: [
        { role: 'user', content: 'make image of a fox' },
        { type: 'function_call', call_id: 'call_1', name: 'make_image', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'It is done' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'There.' }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'And this?' },
            { type: 'input_image', image_url: redImage },
            { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' },
            { type: 'input_file', file_url: 'https://files.example/b.pdf' },
          ],
        },
      ],
      tools: [{ ...otherToolFields, parameters }, { type: 'web_search' }],
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'fox', schema: closedSchema, strict: true } },
    });
    await responseOf(fixture.gateway, { model, input: 'hello' });
    // Such a minimal request is the first step of the verification in section 4.6 of the specification.
    expect(lastRequest(fixture, path).body).toEqual({ model, input: 'hello' });
  });

  it('Text responses only take into account what the request contains, including images and files', async () => {
    const { gateway } = await fastGateway({ profile });
    const { text } = await responseOf(gateway, {
      model,
      instructions: 'Speak of weather',
      input: [
        { role: 'user', content: 'I like moss' },
        { role: 'assistant', content: 'Noted.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What do I like?' },
            { type: 'image', image: redImage },
            { type: 'file', name: 'notes.txt', data: 'data:text/plain;base64,YQ==' },
          ],
        },
      ],
    });
    for (const word of ['I like moss', 'What do I like?', 'an image', 'notes.txt', 'Speak of weather'])
      expect(text).toContain(word);
  });

  it('Text responses call the requested tools, and continue once their outputs have arrived', async () => {
    const { gateway } = await fastGateway({ profile });
    const input = 'Please make image and make video of a fox';
    const tools = [makeImage, { ...makeImage, name: 'make_video' }, { ...makeImage, name: 'look_up' }];
    const events = await collect(gateway.responses.stream({ model, input, tools }));
    const { calls, text } = endOf(events);
    expect(calls.map(({ name }) => name)).toEqual(['make_image', 'make_video']);
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([{ prompt: input }, { prompt: input }]);
    expect(text).toBe('');
    expect((await responseOf(gateway, { model, input, tools })).calls.map(({ name }) => name)).toEqual([
      'make_image',
      'make_video',
    ]);
    const followUp = await responseOf(gateway, {
      model,
      tools,
      input: [
        { role: 'user', content: input },
        ...calls.map((call) => ({ type: 'call', ...call }) as const),
        ...calls.map(({ callId, name }) => ({ type: 'call-output', callId, output: `${name} is done` }) as const),
      ],
    });
    expect(followUp.calls).toEqual([]);
    expect(followUp.text).toContain('make_image answered: “make_image is done”');
    expect(followUp.text).toContain('make_video answered');
  });

  it('Text responses search the web if that is offered and requested, and report the progress', async () => {
    const { gateway } = await fastGateway({ profile });
    const events = await collect(
      gateway.responses.stream({ model, input: 'Search for foxes', tools: [{ type: 'web-search' }] }),
    );
    const searches = events.filter((event) => event.type === 'web-search');
    expect(searches[0]?.isDone).toBe(false);
    expect(searches.at(-1)?.isDone).toBe(true);
    expect(endOf(events).text).not.toBe('');
  });

  it('Text responses match a requested schema, and are JSON if JSON was requested', async () => {
    const { gateway } = await fastGateway({ profile });
    const schema = {
      type: 'object',
      properties: {
        mood: { enum: ['glad', 'sad'] },
        legs: { type: 'integer', minimum: 3 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['mood', 'legs', 'tags'],
    };
    const request = { model, input: 'a sad fox', format: { type: 'schema', name: 'fox', schema } } as const;
    const fox = JSON.parse(endOf(await collect(gateway.responses.stream(request))).text);
    expect(fox).toEqual({ mood: 'sad', legs: expect.any(Number), tags: expect.any(Array) });
    expect(fox.legs).toBeGreaterThanOrEqual(3);
    const { text } = await responseOf(gateway, { model, input: 'a fox', format: { type: 'json' } });
    expect(JSON.parse(text)).toMatchObject({ sandbox: true });
  });

  it('Text responses can be long, contain code and tables, or be refused, depending on the request', async () => {
    const { gateway } = await fastGateway({ profile });
    const respondTo = async (input: string) => endOf(await collect(gateway.responses.stream({ model, input })));
    expect((await respondTo('3000 words of sand')).text.split(/\s+/).length).toBeGreaterThan(3_000);
    expect((await respondTo('a table and code of sand')).text).toMatch(/```ts\n[\s\S]+```[\s\S]+\| ---/);
    expect(await respondTo('refuse this')).toMatchObject({
      text: '',
      refusal: expect.stringContaining('will not do that'),
    });
  });

  it('Text responses contain reasoning only if the model supports it', async () => {
    const { gateway } = await fastGateway({ profile });
    expect((await responseOf(gateway, { ...baseRequest, model: 'quill-5', effort: 'high' })).reasoning).toBe('');
    const { reasoning } = await responseOf(gateway, { ...baseRequest, effort: 'high' });
    expect(reasoning.split('\n\n')).toHaveLength(6);
  });

  const endings: readonly (readonly [TextFaultKind, TextResponse['end'], string | undefined])[] = [
    ['cut', 'ended-early', 'UND_ERR_SOCKET'],
    ['early-end', 'ended-early', 'ended_early'],
    ['silence', 'ended-early', 'UND_ERR_BODY_TIMEOUT'],
    ['error', 'failed', 'server_error'],
    ['nested-error', 'failed', 'server_error'],
    ['failed', 'failed', 'server_error'],
    ['empty-output', 'completed', undefined],
    ['chat-usage', 'completed', undefined],
    ['chat', 'completed', undefined],
    ['plain', 'completed', undefined],
  ];

  itVariants(endings)(
    'Text responses keep what had arrived before the fault "%s" and end as %s',
    async (fault, end, code) => {
      const { gateway, embedded } = await fastGateway({ profile, limits: { silenceMs: 300 } });
      const unstreamed = await responseOf(gateway, baseRequest);
      embedded.faults.add({ do: { type: 'text', how: fault, after: 60 } });
      const events = await collect(gateway.responses.stream(baseRequest));
      const response = endOf(events);
      expect(response).toMatchObject({
        end,
        ...(code === undefined ? { error: undefined } : { error: { code, mayHaveTakenEffect: true } }),
      });
      expect(textOf(events)).toBe(response.text);
      expect(response.text.length).toBeGreaterThan(5);
      expect(unstreamed.text.startsWith(response.text)).toBe(true);
      if (end === 'completed')
        expect(response).toMatchObject({
          text: unstreamed.text,
          usage: { input: unstreamed.usage?.input, total: unstreamed.usage?.total },
        });
      await expect.poll(() => embedded.streamCount).toBe(0);
      expect(endOf(await collect(gateway.responses.stream(baseRequest))).end).toBe('completed');
    },
  );

  it.each([
    ['no-tools', 'tools'],
    ['no-reasoning', 'reasoning'],
  ] as const)(
    'Text responses report a refused field (%s) as a definite refusal, so the request can be sent without it',
    async (fault, part) => {
      const { gateway, embedded } = await fastGateway({ profile });
      embedded.faults.add({ do: fault, times: 9 });
      const request: TextRequest = { ...baseRequest, tools: [makeImage] };
      const error = await failureOf(collect(gateway.responses.stream(request)));
      expect(error).toMatchObject({ kind: 'invalid', status: 400, mayHaveTakenEffect: false });
      // The error envelope of the specification names the field in its message only.
      expect(refusedPart(error, request, { isStreamed: true })).toEqual({ part, isNamed: true });
      const { tools, effort, ...requestWithoutEither } = request;
      const reducedRequest =
        part === 'tools' ? { ...requestWithoutEither, effort } : { ...requestWithoutEither, tools };
      expect(endOf(await collect(gateway.responses.stream(reducedRequest))).end).toBe('completed');
    },
  );

  itVariants([
    ['server-error', 'unavailable', true],
    ['bad-gateway', 'unavailable', true],
    ['quota', 'quota', false],
    ['rate-limited', 'rate-limited', false],
    ['unauthorized', 'unauthorized', false],
    ['error-in-200', 'unavailable', true],
    ['empty', 'malformed', true],
    ['reset', 'unreachable', true],
    ['hang', 'unreachable', true],
  ] as const)(
    'With the fault "%s", a text response fails as %s before it begins and is requested only once, and no field of the request is blamed',
    async (fault, kind, mayHaveEffect) => {
      const fixture = await fastGateway({ profile, limits: { submitMs: 300, wholeTextMs: 300, silenceMs: 300 } });
      for (const run of [
        () => collect(fixture.gateway.responses.stream(baseRequest)),
        () => responseOf(fixture.gateway, baseRequest),
      ]) {
        fixture.embedded.faults.add({ do: fault });
        const error = await failureOf(run());
        expect(error).toMatchObject({ kind, mayHaveTakenEffect: mayHaveEffect });
        expect(refusedPart(error, baseRequest, { isStreamed: true })).toBeUndefined();
      }
      expect(fixture.embedded.requests).toHaveLength(2);
    },
  );

  it('Text responses stop when the consumer leaves the loop or aborts the signal', async () => {
    const { gateway, embedded, clock } = await openFixture({ profile });
    const story: TextRequest = { model: 'quill-5', input: 'a long story' };
    const abandonedStream = gateway.responses.stream(story);
    const first = abandonedStream.next();
    await expect.poll(() => embedded.streamCount).toBe(1);
    expect((await first).value).toMatchObject({ type: 'created' });
    await abandonedStream.return();
    await expect.poll(() => embedded.streamCount).toBe(0);

    const controller = new AbortController();
    const stream = gateway.responses.stream(story, { signal: controller.signal });
    await stream.next();
    clock.advance(2_000);
    expect((await stream.next()).value?.type).toBe('text');
    controller.abort();
    const events = await collect(stream);
    expect(endOf(events)).toMatchObject({ end: 'ended-early', error: { code: 'aborted' } });
    expect(endOf(events).text.length).toBeGreaterThan(0);
    await expect.poll(() => embedded.streamCount).toBe(0);
  });

  it('Text responses are not requested at all if the signal is already aborted', async () => {
    const { gateway, embedded } = await openFixture({ profile });
    const error = await failureOf(collect(gateway.responses.stream(baseRequest, { signal: AbortSignal.abort() })));
    expect(error).toMatchObject({ code: 'aborted', mayHaveTakenEffect: false });
    expect(embedded.requests).toEqual([]);
  });

  it('Text responses end at the size limit with what had arrived', async () => {
    const { gateway, embedded } = await fastGateway({ profile, limits: { responseBytes: 200_000 } });
    const events = await collect(gateway.responses.stream({ model, input: '4000 words of sand' }));
    expect(endOf(events)).toMatchObject({ end: 'ended-early', error: { kind: 'malformed', code: 'too_large' } });
    expect(endOf(events).text.length).toBeGreaterThan(100);
    await expect.poll(() => embedded.streamCount).toBe(0);
  });

  it('Text responses are charged to the account', async () => {
    const { gateway, embedded } = await fastGateway({ profile });
    await responseOf(gateway, baseRequest);
    await collect(gateway.responses.stream(baseRequest));
    expect(embedded.usage.rows('sk-sandbox')).toMatchObject([{ model, requests: 2 }]);
  });
});

describe('A request for text', () => {
  it.each<[object, RegExp]>([
    [{ model: '' }, /^model: the model is missing/],
    [{ input: ' ' }, /^input: the prompt is empty/],
    [{ input: [] }, /^input: there is nothing to answer/],
    [{ input: 7 }, /^input: the input is neither text nor a list/],
    [{ input: [{ role: 'nobody', content: 'x' }] }, /^input\.0\.role: the role is user/],
    [
      { input: [{ type: 'call', callId: 'c', name: '', arguments: '' }] },
      /^input\.0\.name: the name of the tool is missing/,
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'image', image: 'fox.png' }] }] },
      /^input\.0\.content\.0\.image: this is neither a web/,
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'file', name: 'a', data: 'data:a/b;base64,%' }] }] },
      /^input\.0\.content\.0\.data: this is not a file/,
    ],
    [{ tools: [] }, /^tools: the list of tools is empty/],
    [{ tools: [{ ...makeImage, name: 'make image' }] }, /^tools\.0\.name: the name of a tool/],
    [{ tools: [{ type: 'hammer' }] }, /^tools\.0(\.type)?: this is not a tool/],
    [{ effort: '' }, /^effort: the effort is empty/],
    [{ format: { type: 'xml' } }, /^format(\.type)?: the format is text, json or a schema/],
    [{ stream: true }, /stream/],
  ])('A request for text with %j is refused locally with a reason', async (invalidFields, expectedMessage) => {
    const { gateway, embedded } = await openFixture();
    const request = { ...baseRequest, ...invalidFields } as TextRequest;
    for (const run of [() => responseOf(gateway, request), () => collect(gateway.responses.stream(request))]) {
      const error = await failureOf(run());
      expect(error).toMatchObject({ kind: 'invalid', code: 'bad_input' });
      expect(error.message).toMatch(expectedMessage);
      expect(error.message).not.toMatch(/Invalid input|undefined/);
    }
    expect(embedded.requests).toEqual([]);
  });
});
