import { expect, it } from 'vitest';
import { type Dialect, dialects, NAMES_BY_DIALECT } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { bytesOf } from '../../../../sandbox/gateway/realtime/input-buffer.ts';
import { speechMs } from '../../../../sandbox/gateway/realtime/item.ts';
import { synthesizeSpeech } from '../../../../sandbox/gateway/realtime/voice.ts';
import { describeVariants } from '../../../support/variants.ts';
import type { Json } from '../bench.ts';
import { deltas, type RealtimeClient, settings, startRealtimeGateway, userMessage } from './test-client.ts';

/** Sends a text turn and returns the response. */
async function sendTextTurn({ send, waitFor }: RealtimeClient, text: string): Promise<string> {
  send(userMessage(text));
  send({ type: 'response.create' });
  const { response } = await waitFor('response.done');
  const [{ content }] = response.output;
  return content[0].text ?? content[0].transcript;
}

/** The types of events, without repeated deltas. */
const distinctTypes = (events: readonly Json[]): string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);

const itemEvents = (dialect: Dialect) =>
  dialect === 'ga' ? ['conversation.item.added', 'conversation.item.done'] : ['conversation.item.created'];

describeVariants(dialects)('A live session in the %s dialect', (dialect) => {
  const names = NAMES_BY_DIALECT[dialect];

  it('A live session answers in text and reports its token usage', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    const created = await waitFor('session.created');
    expect(created.session).toMatchObject({ object: 'realtime.session', model: 'parley-realtime' });
    send(settings(dialect, { instructions: 'Be brief.' }));
    expect((await waitFor('session.updated')).session.instructions).toBe('Be brief.');
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create' });
    const { response } = await waitFor('response.done');
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
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    send(settings(dialect));
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create' });
    await waitFor('response.done');
    const [first] = itemEvents(dialect);
    expect(distinctTypes(events)).toEqual([
      ...['session.created', 'conversation.created', 'session.updated', ...itemEvents(dialect)],
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
    const responseEvents = events.filter(({ response_id }) => response_id !== undefined);
    const { response } = events.at(-1);
    expect(new Set(responseEvents.map(({ response_id }) => response_id))).toEqual(new Set([response.id]));
  });

  it('A live session speaks with the requested voice, and sends the transcript together with the audio', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    send(settings(dialect, { speaks: true, voice: 'ash' }));
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create' });
    const { response } = await waitFor('response.done');
    const transcript = deltas(events, dialect, 'transcript').join('');
    const audio = Buffer.concat(deltas(events, dialect, 'audio').map((delta) => Buffer.from(delta, 'base64')));
    expect(audio.equals(bytesOf(synthesizeSpeech(transcript, 'ash')))).toBe(true);
    expect(audio.equals(bytesOf(synthesizeSpeech(transcript, 'marin')))).toBe(false);
    expect(response.output[0].content).toEqual([{ type: names.audio, transcript }]);
    expect(response.usage.output_token_details.audio_tokens).toBe(Math.ceil(audio.length / 2 / 24_000 / 0.05));
  });

  it('A live session responds on the gateway’s own clock, faster than real time', async () => {
    const { connect, clock, gateway } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    send(settings(dialect, { speaks: true }));
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create' });
    await expect.poll(() => events.at(-1)?.type).toBe('response.created');
    expect(gateway.streamCount).toBe(1);
    clock.advance(299);
    send({ type: 'input_audio_buffer.clear' });
    await expect.poll(() => distinctTypes(events)).toContain('input_audio_buffer.cleared');
    expect(deltas(events, dialect, 'transcript')).toEqual([]);
    const startedAt = clock.now();
    const { response } = await waitFor('response.done');
    expect(clock.now() - startedAt).toBeLessThan(speechMs(response.output[0].content[0].transcript) / 3);
    expect(gateway.streamCount).toBe(0);
  });

  it('A live session remembers earlier turns, including inserted ones', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const firstClient = await connect();
    firstClient.send(settings(dialect));
    const first = await sendTextTurn(firstClient, 'My boat is green');
    expect(first).not.toContain('The first of');
    const second = await sendTextTurn(firstClient, 'And the sail?');
    expect(second).toContain('The first of 2 things was: “My boat is green”.');
    expect(second).toContain(`My last words were: “${first.split(' ').slice(-8).join(' ')}”.`);
    const secondClient = await connect();
    secondClient.send(settings(dialect));
    secondClient.send(userMessage('My boat is green'));
    secondClient.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'assistant', content: [{ type: names.text, text: first }] },
    });
    expect(await sendTextTurn(secondClient, 'And the sail?')).toBe(second);
  });

  it('An interrupted live session stops and remembers only what was played', async () => {
    const { connect, gateway } = await startRealtimeGateway(dialect);
    const client = await connect();
    const { send, waitFor, events } = client;
    send(settings(dialect, { speaks: true }));
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create' });
    for (let count = 0; count < 12; count++) await waitFor(`response.${names.transcript}.delta`);
    send({ type: 'response.cancel' });
    const { response } = await waitFor('response.done');
    expect(response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
    });
    const [item] = response.output;
    expect(item.status).toBe('incomplete');
    const reply = deltas(events, dialect, 'transcript').join('');
    expect(item.content[0].transcript).toBe(reply);
    expect(response.usage.output_tokens).toBeGreaterThan(0);
    send({ type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: 600 });
    await waitFor('conversation.item.truncated');
    const truncatedItem: Json = gateway.realtime.sessions[0]?.items[1];
    const { transcript } = truncatedItem.content[0];
    expect(transcript.length).toBeLessThan(reply.length);
    expect(reply.startsWith(transcript)).toBe(true);
    expect(speechMs(transcript)).toBeGreaterThanOrEqual(600);
    expect(await sendTextTurn(client, 'Go on')).toContain(`My last words were: “${transcript}”.`);
    send({ type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: 60_000 });
    expect((await waitFor('error')).error).toMatchObject({ code: 'invalid_value', param: 'audio_end_ms' });
  });

  it('A cancelled response contains exactly the text of its deltas, at any time', async () => {
    const { connect, clock } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    send(settings(dialect, { speaks: true }));
    await waitFor('session.updated');
    for (const ms of [0, 299, 301, 326, 340, 361, 383, 402, 450]) {
      const eventCount = events.length;
      send({ type: 'response.create' });
      await expect.poll(() => distinctTypes(events.slice(eventCount))).toContain('response.created');
      clock.advance(ms);
      send({ type: 'response.cancel' });
      await expect.poll(() => distinctTypes(events.slice(eventCount))).toContain('response.done');
      const [item] = events.at(-1).response.output;
      const received = events.slice(eventCount);
      expect(item?.content[0].transcript ?? '', `${ms}`).toBe(deltas(received, dialect, 'transcript').join(''));
      expect(item !== undefined, `${ms}`).toBe(ms >= 300);
      const counts = ['added', 'done'].map((end) =>
        distinctTypes(received).filter((type) => type === `response.output_item.${end}`),
      );
      expect(counts[0]?.length).toBe(counts[1]?.length);
    }
  });

  it('A response that is truncated during its stream stays truncated', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor } = await connect();
    send(settings(dialect, { speaks: true }));
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create' });
    const { item_id } = await waitFor(`response.${names.transcript}.delta`);
    for (let count = 0; count < 8; count++) await waitFor(`response.${names.transcript}.delta`);
    send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 1 });
    send({ type: 'response.cancel' });
    expect((await waitFor('response.done')).response.output[0].content[0].transcript).toBe('This');
  });

  it('A live session refuses a second simultaneous response, and a cancellation if there is no response', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor } = await connect();
    send(settings(dialect));
    send({ type: 'response.cancel', event_id: 'early' });
    expect((await waitFor('error')).error).toMatchObject({ code: 'response_cancel_not_active', event_id: 'early' });
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create' });
    send({ type: 'response.create' });
    expect((await waitFor('error')).error.code).toBe('conversation_already_has_active_response');
    expect((await waitFor('response.done')).response.status).toBe('completed');
  });

  it('A live session respects the limit on output tokens', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor } = await connect();
    send(settings(dialect));
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create', response: { max_output_tokens: 10, metadata: { for: 'test' } } });
    const { response } = await waitFor('response.done');
    expect(response).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: 'max_output_tokens' },
      metadata: { for: 'test' },
    });
    expect(response.usage.output_tokens).toBeGreaterThan(0);
    expect(response.usage.output_tokens).toBeLessThanOrEqual(10);
  });

  it('A live session can respond outside of the conversation', async () => {
    const { connect, gateway } = await startRealtimeGateway(dialect);
    const { send, waitFor } = await connect();
    send(settings(dialect));
    send(userMessage('Tell me of foxes'));
    send({ type: 'response.create', response: { conversation: 'none', instructions: 'Sum it up.' } });
    const { response } = await waitFor('response.done');
    expect(response.conversation_id).toBeNull();
    expect(response.output[0].content[0].text).toContain('I was told: “Sum it up.”');
    expect(gateway.realtime.sessions[0]?.items).toHaveLength(1);
  });

  it('A live session calls a tool that the message names, and uses its output', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    const tools = [
      {
        type: 'function',
        name: 'get_weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ];
    send(settings(dialect, { tools }));
    send(userMessage('Please get the weather of Porto'));
    send({ type: 'response.create' });
    const { response } = await waitFor('response.done');
    const [call] = response.output;
    expect(call).toMatchObject({ type: 'function_call', name: 'get_weather', status: 'completed' });
    const argumentDeltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    expect(argumentDeltas.map(({ delta }) => delta).join('')).toBe(call.arguments);
    expect(events.find(({ type }) => type === 'response.function_call_arguments.done')).toMatchObject({
      call_id: call.call_id,
      name: 'get_weather',
      arguments: call.arguments,
      item_id: call.id,
      output_index: 0,
    });
    const output = { type: 'function_call_output', call_id: call.call_id, output: 'sunny, 21 degrees' };
    send({ type: 'conversation.item.create', item: { ...output, call_id: 'call_none' } });
    expect((await waitFor('error')).error.code).toBe('invalid_tool_call_id');
    send({ type: 'conversation.item.create', item: output });
    send({ type: 'response.create' });
    const text = (await waitFor('response.done')).response.output[0].content[0].text;
    expect(text).toContain('get_weather answered: “sunny, 21 degrees”');
  });

  it('A live session charges once for each response', async () => {
    const { connect, gateway } = await startRealtimeGateway(dialect);
    const client = await connect();
    client.send(settings(dialect));
    await sendTextTurn(client, 'Tell me of foxes');
    const usageRows = gateway.usage.rows('sk-sandbox');
    expect(usageRows).toMatchObject([{ model: 'parley-realtime', requests: 1 }]);
    await sendTextTurn(client, 'And of owls');
    client.send(userMessage('And of bats'));
    client.send({ type: 'response.create' });
    await client.waitFor(`response.${names.text}.delta`);
    client.socket.terminate();
    await expect.poll(() => gateway.usage.rows('sk-sandbox')).toMatchObject([{ requests: 3 }]);
    expect(gateway.streamCount).toBe(0);
  });
});
