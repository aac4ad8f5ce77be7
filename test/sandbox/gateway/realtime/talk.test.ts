import { describe, expect, it, vi } from 'vitest';
import { type Dialect, dialects, NAMES_BY_DIALECT } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { bytesOf } from '../../../../sandbox/gateway/realtime/input-buffer.ts';
import { speechMs } from '../../../../sandbox/gateway/realtime/item.ts';
import { speechOf } from '../../../../sandbox/gateway/realtime/voice.ts';
import type { Json } from '../bench.ts';
import { deltas, settings, stage, type Talker, userMessage } from './test-client.ts';

/** Sends a text turn and returns the response. */
async function askInText({ say, until }: Talker, text: string): Promise<string> {
  say(userMessage(text));
  say({ type: 'response.create' });
  const { response } = await until('response.done');
  const [{ content }] = response.output;
  return content[0].text ?? content[0].transcript;
}

/** The types of events, without repeated deltas. */
const order = (events: readonly Json[]): string[] =>
  events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);

const added = (dialect: Dialect) =>
  dialect === 'ga' ? ['conversation.item.added', 'conversation.item.done'] : ['conversation.item.created'];

describe.each(dialects)('A live session in the %s dialect', (dialect) => {
  const names = NAMES_BY_DIALECT[dialect];

  it('A live session answers in text and reports its token usage', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    const created = await until('session.created');
    expect(created.session).toMatchObject({ object: 'realtime.session', model: 'parley-realtime' });
    say(settings(dialect, { instructions: 'Be brief.' }));
    expect((await until('session.updated')).session.instructions).toBe('Be brief.');
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create' });
    const { response } = await until('response.done');
    const text = deltas(events, dialect, 'text').join('');
    expect(text).toContain('You said: “Tell me of foxes”.');
    expect(text).toContain('I was told: “Be brief.”');
    expect(response).toMatchObject({ status: 'completed', status_details: null });
    expect(response.output[0].content).toEqual([{ type: names.text, text }]);
    const { usage } = response;
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
    expect(usage.output_token_details).toEqual({ text_tokens: usage.output_tokens, audio_tokens: 0 });
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  });

  it('A live session sends all events in the specified order', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    say(settings(dialect));
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create' });
    await until('response.done');
    const [first] = added(dialect);
    expect(order(events)).toEqual([
      ...['session.created', 'conversation.created', 'session.updated', ...added(dialect)],
      ...[
        'response.created',
        'rate_limits.updated',
        'response.output_item.added',
        first,
        'response.content_part.added',
      ],
      ...[`response.${names.text}.delta`, `response.${names.text}.done`, 'response.content_part.done'],
      ...(dialect === 'ga' ? ['conversation.item.done'] : []),
      ...['response.output_item.done', 'response.done'],
    ]);
    const items = events.filter(({ type }) => type === first);
    expect(items[1].previous_item_id).toBe(items[0].item.id);
    const ofAnswer = events.filter(({ response_id }) => response_id !== undefined);
    const { response } = events.at(-1);
    expect(new Set(ofAnswer.map(({ response_id }) => response_id))).toEqual(new Set([response.id]));
  });

  it('A live session speaks with the requested voice, word by word with its transcript', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    say(settings(dialect, { speaks: true, voice: 'ash' }));
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create' });
    const { response } = await until('response.done');
    const transcript = deltas(events, dialect, 'transcript').join('');
    const audio = Buffer.concat(deltas(events, dialect, 'audio').map((delta) => Buffer.from(delta, 'base64')));
    expect(audio.equals(bytesOf(speechOf(transcript, 'ash')))).toBe(true);
    expect(audio.equals(bytesOf(speechOf(transcript, 'marin')))).toBe(false);
    expect(response.output[0].content).toEqual([{ type: names.audio, transcript }]);
    expect(response.usage.output_token_details.audio_tokens).toBe(Math.ceil(audio.length / 2 / 24_000 / 0.05));
  });

  it('A live session responds on the gateway’s own clock, faster than real time', async () => {
    const { talker, clock, gateway } = await stage(dialect);
    const { say, until, events } = await talker();
    say(settings(dialect, { speaks: true }));
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create' });
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('response.created'));
    expect(gateway.writing).toBe(1);
    clock.advance(299);
    say({ type: 'input_audio_buffer.clear' });
    await vi.waitFor(() => expect(order(events)).toContain('input_audio_buffer.cleared'));
    expect(deltas(events, dialect, 'transcript')).toEqual([]);
    const before = clock.now();
    const { response } = await until('response.done');
    expect(clock.now() - before).toBeLessThan(speechMs(response.output[0].content[0].transcript) / 3);
    expect(gateway.writing).toBe(0);
  });

  it('A live session remembers earlier turns, including inserted ones', async () => {
    const { talker } = await stage(dialect);
    const one = await talker();
    one.say(settings(dialect));
    const first = await askInText(one, 'My boat is green');
    expect(first).not.toContain('The first of');
    const second = await askInText(one, 'And the sail?');
    expect(second).toContain('The first of 2 things was: “My boat is green”.');
    expect(second).toContain(`My last words were: “${first.split(' ').slice(-8).join(' ')}”.`);
    const other = await talker();
    other.say(settings(dialect));
    other.say(userMessage('My boat is green'));
    other.say({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'assistant', content: [{ type: names.text, text: first }] },
    });
    expect(await askInText(other, 'And the sail?')).toBe(second);
  });

  it('An interrupted live session stops and remembers only what was played', async () => {
    const { talker, gateway } = await stage(dialect);
    const talk = await talker();
    const { say, until, events } = talk;
    say(settings(dialect, { speaks: true }));
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create' });
    for (let at = 0; at < 12; at++) await until(`response.${names.transcript}.delta`);
    say({ type: 'response.cancel' });
    const { response } = await until('response.done');
    expect(response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
    });
    const [item] = response.output;
    expect(item.status).toBe('incomplete');
    const reply = deltas(events, dialect, 'transcript').join('');
    expect(item.content[0].transcript).toBe(reply);
    expect(response.usage.output_tokens).toBeGreaterThan(0);
    say({ type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: 600 });
    await until('conversation.item.truncated');
    const kept: Json = gateway.realtime.sessions[0]?.items[1];
    const { transcript } = kept.content[0];
    expect(transcript.length).toBeLessThan(reply.length);
    expect(reply.startsWith(transcript)).toBe(true);
    expect(speechMs(transcript)).toBeGreaterThanOrEqual(600);
    expect(await askInText(talk, 'Go on')).toContain(`My last words were: “${transcript}”.`);
    say({ type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: 60_000 });
    expect((await until('error')).error).toMatchObject({ code: 'invalid_value', param: 'audio_end_ms' });
  });

  it('A cancelled response contains exactly the text of its deltas, at any time', async () => {
    const { talker, clock } = await stage(dialect);
    const { say, until, events } = await talker();
    say(settings(dialect, { speaks: true }));
    await until('session.updated');
    for (const ms of [0, 299, 301, 326, 340, 361, 383, 402, 450]) {
      const before = events.length;
      say({ type: 'response.create' });
      await vi.waitFor(() => expect(order(events.slice(before))).toContain('response.created'));
      clock.advance(ms);
      say({ type: 'response.cancel' });
      await vi.waitFor(() => expect(order(events.slice(before))).toContain('response.done'));
      const [item] = events.at(-1).response.output;
      const received = events.slice(before);
      expect(item?.content[0].transcript ?? '', `${ms}`).toBe(deltas(received, dialect, 'transcript').join(''));
      expect(item !== undefined, `${ms}`).toBe(ms >= 300);
      const counts = ['added', 'done'].map((end) =>
        order(received).filter((type) => type === `response.output_item.${end}`),
      );
      expect(counts[0]?.length).toBe(counts[1]?.length);
    }
  });

  it('A response that is truncated during its stream stays truncated', async () => {
    const { talker } = await stage(dialect);
    const { say, until } = await talker();
    say(settings(dialect, { speaks: true }));
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create' });
    const { item_id } = await until(`response.${names.transcript}.delta`);
    for (let at = 0; at < 8; at++) await until(`response.${names.transcript}.delta`);
    say({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 1 });
    say({ type: 'response.cancel' });
    expect((await until('response.done')).response.output[0].content[0].transcript).toBe('This');
  });

  it('A live session refuses a second simultaneous response, and a cancel without a response', async () => {
    const { talker } = await stage(dialect);
    const { say, until } = await talker();
    say(settings(dialect));
    say({ type: 'response.cancel', event_id: 'early' });
    expect((await until('error')).error).toMatchObject({ code: 'response_cancel_not_active', event_id: 'early' });
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create' });
    say({ type: 'response.create' });
    expect((await until('error')).error.code).toBe('conversation_already_has_active_response');
    expect((await until('response.done')).response.status).toBe('completed');
  });

  it('A live session respects the limit of output tokens', async () => {
    const { talker } = await stage(dialect);
    const { say, until } = await talker();
    say(settings(dialect));
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create', response: { max_output_tokens: 10, metadata: { for: 'test' } } });
    const { response } = await until('response.done');
    expect(response).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: 'max_output_tokens' },
      metadata: { for: 'test' },
    });
    expect(response.usage.output_tokens).toBeGreaterThan(0);
    expect(response.usage.output_tokens).toBeLessThanOrEqual(10);
  });

  it('A live session can respond outside of the conversation', async () => {
    const { talker, gateway } = await stage(dialect);
    const { say, until } = await talker();
    say(settings(dialect));
    say(userMessage('Tell me of foxes'));
    say({ type: 'response.create', response: { conversation: 'none', instructions: 'Sum it up.' } });
    const { response } = await until('response.done');
    expect(response.conversation_id).toBeNull();
    expect(response.output[0].content[0].text).toContain('I was told: “Sum it up.”');
    expect(gateway.realtime.sessions[0]?.items).toHaveLength(1);
  });

  it('A live session calls a tool that the message names, and uses its output', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    const tools = [
      {
        type: 'function',
        name: 'get_weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ];
    say(settings(dialect, { tools }));
    say(userMessage('Please get the weather of Porto'));
    say({ type: 'response.create' });
    const { response } = await until('response.done');
    const [call] = response.output;
    expect(call).toMatchObject({ type: 'function_call', name: 'get_weather', status: 'completed' });
    const written = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    expect(written.map(({ delta }) => delta).join('')).toBe(call.arguments);
    expect(events.find(({ type }) => type === 'response.function_call_arguments.done')).toMatchObject({
      ...{ call_id: call.call_id, name: 'get_weather', arguments: call.arguments, item_id: call.id, output_index: 0 },
    });
    const output = { type: 'function_call_output', call_id: call.call_id, output: 'sunny, 21 degrees' };
    say({ type: 'conversation.item.create', item: { ...output, call_id: 'call_none' } });
    expect((await until('error')).error.code).toBe('invalid_tool_call_id');
    say({ type: 'conversation.item.create', item: output });
    say({ type: 'response.create' });
    const answer = (await until('response.done')).response.output[0].content[0].text;
    expect(answer).toContain('get_weather answered: “sunny, 21 degrees”');
  });

  it('A live session charges once for each response', async () => {
    const { talker, gateway } = await stage(dialect);
    const talk = await talker();
    talk.say(settings(dialect));
    await askInText(talk, 'Tell me of foxes');
    const one = gateway.usage.rows('sk-sandbox');
    expect(one).toMatchObject([{ model: 'parley-realtime', requests: 1 }]);
    await askInText(talk, 'And of owls');
    talk.say(userMessage('And of bats'));
    talk.say({ type: 'response.create' });
    await talk.until(`response.${names.text}.delta`);
    talk.socket.terminate();
    await vi.waitFor(() => expect(gateway.usage.rows('sk-sandbox')).toMatchObject([{ requests: 3 }]));
    expect(gateway.writing).toBe(0);
  });
});
