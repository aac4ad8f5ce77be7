import { connect } from 'node:net';
import OpenAI, { AuthenticationError, BadRequestError, InternalServerError, NotFoundError } from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import type {
  ResponseCreateParamsBase,
  ResponseOutputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { FormData, fetch } from 'undici';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ClientOptions } from 'ws';
import type { Profile } from '../../sandbox/gateway/quirks.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { describeVariants } from '../support/variants.ts';
import { openFixture, profiles, redImage } from './both.ts';

// The compile cache removes Node's own, which the client looks for (`scripts/compile-cache.mjs`), so both are of undici.
const original = Object.getOwnPropertyDescriptor(globalThis, 'FormData');
beforeAll(() => void Reflect.set(globalThis, 'FormData', FormData));
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'FormData');
  if (original) Object.defineProperty(globalThis, 'FormData', original);
});
const transport = { fetch: fetch as unknown as typeof globalThis.fetch, maxRetries: 0 };

const model = 'quill-5';
const reasoningModel = 'inkwell/Quill-5-Reasoning-2026-02-14';

/** Starts a gateway that is so fast that a response takes milliseconds, and the client of OpenAI for it. */
async function openClient(profile: Profile, apiKey = 'sk-sandbox') {
  const { embedded } = await openFixture({ profile, clock: systemClock, speed: 10_000 });
  return { embedded, client: new OpenAI({ apiKey, baseURL: `${embedded.url}/v1`, ...transport }) };
}

/** The client insists on `wss:`, so its connection to the loopback is replaced by one without TLS. */
async function openLiveClient(profile: Profile) {
  const { client, embedded } = await openClient(profile);
  const createConnection = () => connect(Number(new URL(embedded.url).port), '127.0.0.1');
  return { client, options: { createConnection } as ClientOptions };
}

type EventType = ResponseStreamEvent['type'];
type Request = Pick<ResponseCreateParamsBase, 'text' | 'tools' | 'tool_choice' | 'reasoning' | 'max_output_tokens'> & {
  model: string;
  input: string;
};

/** The types of events in order; consecutive deltas count as one. */
const orderOf = (events: readonly ResponseStreamEvent[]): EventType[] =>
  events.map(({ type }) => type).filter((type, index, all) => !type.endsWith('.delta') || type !== all[index - 1]);

const item = (...events: EventType[]): EventType[] => [
  'response.output_item.added',
  ...events,
  'response.output_item.done',
];
const stream = (...events: EventType[]): EventType[] => [
  'response.created',
  'response.in_progress',
  ...events,
  'response.completed',
];
const text = item(
  'response.content_part.added',
  'response.output_text.delta',
  'response.output_text.done',
  'response.content_part.done',
);
const refusal = item(
  'response.content_part.added',
  'response.refusal.delta',
  'response.refusal.done',
  'response.content_part.done',
);
const call = item('response.function_call_arguments.delta', 'response.function_call_arguments.done');
const search = item(
  'response.web_search_call.in_progress',
  'response.web_search_call.searching',
  'response.web_search_call.completed',
);
const summary: EventType[] = [
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_text.delta',
  'response.reasoning_summary_text.done',
  'response.reasoning_summary_part.done',
];
const reasoningText: EventType[] = [
  'response.content_part.added',
  'response.reasoning_text.delta',
  'response.reasoning_text.done',
  'response.content_part.done',
];

const schema = {
  type: 'object',
  properties: { animal: { type: 'string' } },
  required: ['animal'],
  additionalProperties: false,
};
const tool = { type: 'function', name: 'look_up', parameters: schema, strict: true } as const;

const requests: readonly [string, Request, (profile: Profile) => EventType[]][] = [
  ['text', { model, input: 'Tell me of foxes' }, () => stream(...text)],
  [
    'JSON with a schema',
    { model, input: 'Name an animal', text: { format: { type: 'json_schema', name: 'animal', schema, strict: true } } },
    () => stream(...text),
  ],
  [
    'the call of a tool',
    { model, input: 'look up the fox', tools: [tool], tool_choice: 'required' },
    () => stream(...call),
  ],
  [
    'reasoning in parts',
    { model: reasoningModel, input: 'Tell me of foxes', reasoning: { effort: 'medium' } },
    (profile) => {
      const part = profile === 'spec' ? summary : reasoningText;
      return stream(...item(...part, ...part, ...part), ...text);
    },
  ],
  ['a refusal', { model, input: 'Please refuse this' }, () => stream(...refusal)],
  [
    'a web search',
    { model, input: 'the latest news', tools: [{ type: 'web_search' }] },
    () => stream(...search, ...text),
  ],
  [
    'a text that is cut off',
    { model, input: 'Tell me of foxes', max_output_tokens: 16 },
    () => [...stream(...text).slice(0, -1), 'response.incomplete'],
  ],
];

/** The ids are new in every response. */
const withoutIds = (output: readonly ResponseOutputItem[]): object[] =>
  output.map((one) => ({ ...one, id: undefined, ...('call_id' in one && { call_id: undefined }) }));

describeVariants(profiles)('The client of OpenAI at a %s gateway', (profile) => {
  it.each(requests)('The client of OpenAI streams %s in the documented order', async (_what, request, order) => {
    const { client } = await openClient(profile);
    const received: ResponseStreamEvent[] = [];
    const responseStream = client.responses.stream(request);
    for await (const event of responseStream) received.push(event);
    expect(orderOf(received)).toEqual(order(profile));
    expect(received.map(({ sequence_number }) => sequence_number)).toEqual(received.map((_, index) => index));
    const streamed = await responseStream.finalResponse();
    const plain = await client.responses.create(request);
    expect(withoutIds(streamed.output)).toMatchObject(withoutIds(plain.output));
    expect(streamed.output_text).toBe(plain.output_text);
    expect([streamed.status, streamed.usage]).toEqual([plain.status, plain.usage]);
  });

  it('The client of OpenAI sends the output of a tool back and gets a text', async () => {
    const { client } = await openClient(profile);
    const request = { model, tools: [tool] };
    const first = await client.responses.create({ ...request, input: 'look up the fox' });
    const [output] = first.output;
    if (output?.type !== 'function_call') throw new Error('The response calls no tool.');
    expect(JSON.parse(output.arguments)).toEqual({ animal: expect.any(String) });
    const second = await client.responses.create({
      ...request,
      input: [
        { role: 'user', content: 'look up the fox' },
        output,
        { type: 'function_call_output', call_id: output.call_id, output: 'It is red.' },
      ],
    });
    expect(second.output_text).toContain('It is red.');
  });

  it('The client of OpenAI lists models and moderates text', async () => {
    const { client } = await openClient(profile);
    const models = (await client.models.list()).data.map(({ id }) => id);
    expect(models).toContain(model);
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' });
    const { results } = await client.moderations.create({ input: ['harmless', 'flag:violence'] });
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
  });

  it('The client of OpenAI makes a video and downloads it', async () => {
    const { client } = await openClient(profile);
    const { id } = await client.videos.create({ model: 'reel-2', prompt: 'waves', seconds: '4', size: '1280x720' });
    const retrieve = () => client.videos.retrieve(id);
    await expect.poll(async () => (await retrieve()).progress, { interval: 5 }).toBe(100);
    const video = await retrieve();
    expect(video).toMatchObject({ id, object: 'video', model: 'reel-2', prompt: 'waves', seconds: '4', error: null });
    expect(video.size).toBe('1280x720');
    const file = await client.videos.downloadContent(id);
    expect(Buffer.from(await file.arrayBuffer()).toString('latin1', 4, 8)).toBe('ftyp');
  });

  it('The client of OpenAI moderates text and images', async () => {
    const { client } = await openClient(profile);
    const violent = { type: 'text', text: 'flag:violence' } as const;
    const image = { type: 'image_url', image_url: { url: redImage } } as const;
    const { results } = await client.moderations.create({ model: 'omni-moderation-latest', input: [violent, image] });
    expect(results).toMatchObject([{ flagged: true, categories: { violence: true, sexual: false } }]);
    expect(results[0]?.category_scores.violence).toBeGreaterThan(0.9);
  });

  it('The client of OpenAI streams the call of a tool, and then a text about its output', async () => {
    const { client } = await openClient(profile);
    const request = { model, tools: [tool] };
    const question = { role: 'user', content: 'look up the fox' } as const;
    const first = client.responses.stream({ ...request, input: [question] });
    let streamedArguments = '';
    for await (const event of first)
      if (event.type === 'response.function_call_arguments.delta') streamedArguments += event.delta;
    const [output] = (await first.finalResponse()).output;
    if (output?.type !== 'function_call') throw new Error('The response calls no tool.');
    expect(streamedArguments).toBe(output.arguments);
    const { parsed_arguments: _, ...functionCall } = output;
    const result = { type: 'function_call_output', call_id: output.call_id, output: 'It is red.' } as const;
    const second = client.responses.stream({ ...request, input: [question, functionCall, result] });
    let streamedText = '';
    for await (const event of second) if (event.type === 'response.output_text.delta') streamedText += event.delta;
    expect(streamedText).toContain('It is red.');
    expect((await second.finalResponse()).output_text).toBe(streamedText);
  });

  it('The client of OpenAI holds a live conversation in text', async () => {
    const { client, options } = await openLiveClient(profile);
    const live = new OpenAIRealtimeWS({ model: 'parley-realtime', options }, client);
    onTestFinished(() => live.close());
    const received: RealtimeServerEvent[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      live.on('error', reject);
      live.on('event', (event) => received.push(event));
      live.on('session.created', () => {
        live.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
        const content = [{ type: 'input_text', text: 'Tell me of foxes' }] as const;
        live.send({
          type: 'conversation.item.create',
          item: { type: 'message', role: 'user', content: [...content] },
        });
        live.send({ type: 'response.create' });
      });
      live.on('response.done', () => resolve());
    });
    await ended;
    const types = received.map(({ type }) => type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'session.created',
      'conversation.created',
      'session.updated',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ]);
    const deltas = received.flatMap((event) => (event.type === 'response.output_text.delta' ? event.delta : []));
    const done = received.find((event) => event.type === 'response.output_text.done');
    expect(deltas.join('')).toBe(done?.text);
    expect(received.at(-1)).toMatchObject({
      response: { status: 'completed', usage: { output_tokens: expect.any(Number) } },
    });
  });

  it('The client of OpenAI recognizes that a model has no live conversations', async () => {
    const { client, options } = await openLiveClient(profile);
    const live = new OpenAIRealtimeWS({ model, options }, client);
    const { message } = await new Promise<Error>((resolve) => live.on('error', resolve));
    expect(message).toContain('400');
  });

  it('The client of OpenAI recognizes errors', async () => {
    const { client, embedded } = await openClient(profile);
    const stranger = new OpenAI({ apiKey: 'sk-unknown', baseURL: `${embedded.url}/v1`, ...transport });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(client.responses.create({ model, input: '' })).rejects.toBeInstanceOf(BadRequestError);
    await expect(client.get('/nowhere')).rejects.toBeInstanceOf(NotFoundError);
    embedded.faults.add({ do: { type: 'status', status: 503 } });
    await expect(client.responses.create({ model, input: 'foxes' })).rejects.toBeInstanceOf(InternalServerError);
    embedded.faults.add({ do: { type: 'text', how: 'error' } });
    const broken = client.responses.stream({ model, input: 'foxes' });
    await expect(broken.finalResponse()).rejects.toThrow('told to fail');
    embedded.faults.add({ do: { type: 'text', how: 'failed' } });
    const failed = await client.responses.stream({ model, input: 'foxes' }).finalResponse();
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
  });
});
