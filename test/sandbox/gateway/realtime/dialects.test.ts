import { describe, expect, it } from 'vitest';
import { dialects, NAMES_BY_DIALECT, otherDialect } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { settings, startRealtimeGateway, userMessage } from './test-client.ts';

describe('Errors that keep a session open', () => {
  it('The current dialect refuses session settings without a type, and the beta dialect refuses those with a type', async () => {
    const ga = await (await startRealtimeGateway('ga')).connect();
    ga.send({ ...settings('beta'), event_id: 'mine' });
    expect((await ga.waitFor('error')).error).toEqual({
      type: 'invalid_request_error',
      code: 'missing_required_parameter',
      message: "Missing required parameter: 'session.type'.",
      param: 'session.type',
      event_id: 'mine',
    });
    ga.send({ type: 'session.update', session: { type: 'realtime', modalities: ['text'] } });
    expect((await ga.waitFor('error')).error).toMatchObject({ code: 'unknown_parameter', param: 'session.modalities' });
    const beta = await (await startRealtimeGateway('beta')).connect();
    beta.send(settings('ga'));
    expect((await beta.waitFor('error')).error).toMatchObject({ code: 'unknown_parameter', param: 'session.type' });
    for (const [client, dialect] of [
      [ga, 'ga'],
      [beta, 'beta'],
    ] as const) {
      client.send(settings(dialect));
      await client.waitFor('session.updated');
    }
  });

  it.each(dialects)('An unknown voice is refused in the %s dialect', async (dialect) => {
    const { send, waitFor } = await (await startRealtimeGateway(dialect)).connect();
    send(settings(dialect, { voice: 'robot' }));
    const { error } = await waitFor('error');
    expect(error).toMatchObject({
      code: 'invalid_value',
      param: dialect === 'ga' ? 'session.audio.output.voice' : 'session.voice',
    });
    expect(error.message).toContain("'robot'. Supported values are: 'alloy'");
  });

  it.each(dialects)('A change of the voice after the first audio is refused in the %s dialect', async (dialect) => {
    const { send, waitFor } = await (await startRealtimeGateway(dialect)).connect();
    send(settings(dialect, { speaks: true, voice: 'ash' }));
    send(userMessage('Hello'));
    send({ type: 'response.create' });
    await waitFor('response.done');
    send(settings(dialect, { speaks: true, voice: 'ash', instructions: 'Be kind.' }));
    await waitFor('session.updated');
    send(settings(dialect, { speaks: true, voice: 'sage' }));
    expect((await waitFor('error')).error.code).toBe('cannot_update_voice');
  });

  it.each(dialects)('An invalid event is refused in the %s dialect', async (dialect) => {
    const { send, waitFor, socket } = await (await startRealtimeGateway(dialect)).connect();
    const codes: string[] = [];
    for (const event of [
      '{{{',
      '[1,2]',
      'null',
      '{}',
      '{"type":"response.dance"}',
      '{"type":7}',
      '{"type":"__proto__"}',
    ]) {
      send(event);
      const { error } = await waitFor('error');
      codes.push(error.code);
    }
    socket.send(Buffer.from('{"type":"response.create"}'));
    codes.push((await waitFor('error')).error.code);
    expect(codes).toEqual([
      ...['invalid_json', 'invalid_event', 'invalid_event', 'missing_required_parameter'],
      ...['invalid_value', 'invalid_value', 'invalid_value', 'invalid_json'],
    ]);
  });

  it.each(dialects)('An item with content parts of the other dialect is refused in the %s dialect', async (dialect) => {
    const { send, waitFor } = await (await startRealtimeGateway(dialect)).connect();
    const message = (role: string, type: string) => ({
      type: 'conversation.item.create',
      item: { type: 'message', role, content: [{ type, text: 'Hello' }] },
    });
    send(message('assistant', NAMES_BY_DIALECT[otherDialect(dialect)].text));
    expect((await waitFor('error')).error).toMatchObject({ code: 'invalid_value', param: 'item.content[0].type' });
    send(message('user', 'text'));
    expect((await waitFor('error')).error).toMatchObject({ code: 'invalid_value', param: 'item.content[0].type' });
    send(message('pirate', 'input_text'));
    expect((await waitFor('error')).error).toMatchObject({ param: 'item.role' });
    send({ type: 'conversation.item.create', item: {} });
    expect((await waitFor('error')).error).toMatchObject({ code: 'missing_required_parameter', param: 'item.type' });
    send(message('assistant', NAMES_BY_DIALECT[dialect].text));
    await waitFor(dialect === 'ga' ? 'conversation.item.done' : 'conversation.item.created');
  });
});

describe.each(dialects)('The items of a conversation in the %s dialect', (dialect) => {
  const addedEvent = dialect === 'ga' ? 'conversation.item.added' : 'conversation.item.created';
  const textItem = (id: string, content: string) => ({ ...userMessage(content).item, id });
  const createEvent = (item: object, overrides: object = {}) => ({
    type: 'conversation.item.create',
    item,
    ...overrides,
  });

  it('Items are inserted at their position, can be retrieved and can be deleted', async () => {
    const { connect, gateway } = await startRealtimeGateway(dialect);
    const { send, waitFor } = await connect();
    send(createEvent(textItem('two', 'Second')));
    expect(await waitFor(addedEvent)).toMatchObject({
      previous_item_id: null,
      item: { id: 'two', status: 'completed' },
    });
    send(createEvent(textItem('three', 'Third')));
    expect((await waitFor(addedEvent)).previous_item_id).toBe('two');
    send(createEvent(textItem('one', 'First'), { previous_item_id: 'root' }));
    send(createEvent(textItem('half', 'And a half'), { previous_item_id: 'two' }));
    await waitFor(addedEvent);
    expect((await waitFor(addedEvent)).previous_item_id).toBe('two');
    const itemIds = () => gateway.realtime.sessions[0]?.items.map(({ id }) => id);
    expect(itemIds()).toEqual(['one', 'two', 'half', 'three']);
    send({ type: 'conversation.item.retrieve', item_id: 'half' });
    expect((await waitFor('conversation.item.retrieved')).item.content[0].text).toBe('And a half');
    send({ type: 'conversation.item.delete', item_id: 'half' });
    expect((await waitFor('conversation.item.deleted')).item_id).toBe('half');
    expect(itemIds()).toEqual(['one', 'two', 'three']);
  });

  it('A duplicate item and an unknown item id are refused', async () => {
    const { send, waitFor } = await (await startRealtimeGateway(dialect)).connect();
    send(createEvent(textItem('one', 'First')));
    const errorCodeFor = async (event: object) => {
      send(event);
      return (await waitFor('error')).error.code;
    };
    expect(await errorCodeFor(createEvent(textItem('one', 'Again')))).toBe('item_create_duplicate_item_id');
    expect(await errorCodeFor(createEvent(textItem('two', 'Lost'), { previous_item_id: 'none' }))).toBe(
      'item_create_previous_item_not_found',
    );
    expect(await errorCodeFor({ type: 'conversation.item.delete', item_id: 'two' })).toBe(
      'item_delete_invalid_item_id',
    );
    expect(await errorCodeFor({ type: 'conversation.item.retrieve', item_id: 'two' })).toBe(
      'item_retrieve_invalid_item_id',
    );
    const truncate = { type: 'conversation.item.truncate', content_index: 0, audio_end_ms: 0 };
    expect(await errorCodeFor({ ...truncate, item_id: 'two' })).toBe('item_truncate_invalid_item_id');
    expect(await errorCodeFor({ ...truncate, item_id: 'one' })).toBe('invalid_value');
  });

  it('Clearing the output audio does not affect the items', async () => {
    const { send, waitFor } = await (await startRealtimeGateway(dialect)).connect();
    send({ type: 'output_audio_buffer.clear' });
    await waitFor('output_audio_buffer.cleared');
  });
});

it('A gateway with the current dialect refuses clients of the beta dialect', async () => {
  const headers = { 'openai-beta': 'realtime=v1' };
  const betaClient = await (await startRealtimeGateway('ga')).connect({ headers });
  expect((await betaClient.waitFor('error')).error.code).toBe('beta_api_shape_disabled');
  expect(await betaClient.closed).toBe(1011);
  expect(betaClient.events).toHaveLength(1);
  await (await (await startRealtimeGateway('beta')).connect({ headers })).waitFor('session.created');
});
