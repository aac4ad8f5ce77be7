import { describe, expect, it } from 'vitest';
import { dialects, NAMES_BY_DIALECT, otherDialect } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { settings, stage, userMessage } from './test-client.ts';

describe('The refusals that keep a session open', () => {
  it('The current dialect refuses a session without its type, and the beta dialect refuses one with a type', async () => {
    const ga = await (await stage('ga')).talker();
    ga.say({ ...settings('beta'), event_id: 'mine' });
    expect((await ga.until('error')).error).toEqual({
      type: 'invalid_request_error',
      code: 'missing_required_parameter',
      message: "Missing required parameter: 'session.type'.",
      param: 'session.type',
      event_id: 'mine',
    });
    ga.say({ type: 'session.update', session: { type: 'realtime', modalities: ['text'] } });
    expect((await ga.until('error')).error).toMatchObject({ code: 'unknown_parameter', param: 'session.modalities' });
    const beta = await (await stage('beta')).talker();
    beta.say(settings('ga'));
    expect((await beta.until('error')).error).toMatchObject({ code: 'unknown_parameter', param: 'session.type' });
    for (const [talk, dialect] of [
      [ga, 'ga'],
      [beta, 'beta'],
    ] as const) {
      talk.say(settings(dialect));
      await talk.until('session.updated');
    }
  });

  it.each(dialects)('An unknown voice is refused in the %s dialect', async (dialect) => {
    const { say, until } = await (await stage(dialect)).talker();
    say(settings(dialect, { voice: 'robot' }));
    const { error } = await until('error');
    expect(error).toMatchObject({
      code: 'invalid_value',
      param: dialect === 'ga' ? 'session.audio.output.voice' : 'session.voice',
    });
    expect(error.message).toContain("'robot'. Supported values are: 'alloy'");
  });

  it.each(dialects)('A change of the voice after the first audio is refused in the %s dialect', async (dialect) => {
    const { say, until } = await (await stage(dialect)).talker();
    say(settings(dialect, { speaks: true, voice: 'ash' }));
    say(userMessage('Hello'));
    say({ type: 'response.create' });
    await until('response.done');
    say(settings(dialect, { speaks: true, voice: 'ash', instructions: 'Be kind.' }));
    await until('session.updated');
    say(settings(dialect, { speaks: true, voice: 'sage' }));
    expect((await until('error')).error.code).toBe('cannot_update_voice');
  });

  it.each(dialects)('An invalid event is refused in the %s dialect', async (dialect) => {
    const { say, until, socket } = await (await stage(dialect)).talker();
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
      say(event);
      const { error } = await until('error');
      codes.push(error.code);
    }
    socket.send(Buffer.from('{"type":"response.create"}'));
    codes.push((await until('error')).error.code);
    expect(codes).toEqual([
      ...['invalid_json', 'invalid_event', 'invalid_event', 'missing_required_parameter'],
      ...['invalid_value', 'invalid_value', 'invalid_value', 'invalid_json'],
    ]);
  });

  it.each(dialects)('An item with parts of the other dialect is refused in the %s dialect', async (dialect) => {
    const { say, until } = await (await stage(dialect)).talker();
    const message = (role: string, type: string) => ({
      type: 'conversation.item.create',
      item: { type: 'message', role, content: [{ type, text: 'Hello' }] },
    });
    say(message('assistant', NAMES_BY_DIALECT[otherDialect(dialect)].text));
    expect((await until('error')).error).toMatchObject({ code: 'invalid_value', param: 'item.content[0].type' });
    say(message('user', 'text'));
    expect((await until('error')).error).toMatchObject({ code: 'invalid_value', param: 'item.content[0].type' });
    say(message('pirate', 'input_text'));
    expect((await until('error')).error).toMatchObject({ param: 'item.role' });
    say({ type: 'conversation.item.create', item: {} });
    expect((await until('error')).error).toMatchObject({ code: 'missing_required_parameter', param: 'item.type' });
    say(message('assistant', NAMES_BY_DIALECT[dialect].text));
    await until(dialect === 'ga' ? 'conversation.item.done' : 'conversation.item.created');
  });
});

describe.each(dialects)('The items of a conversation in the %s dialect', (dialect) => {
  const added = dialect === 'ga' ? 'conversation.item.added' : 'conversation.item.created';
  const text = (id: string, words: string) => ({ ...userMessage(words).item, id });
  const create = (item: object, more: object = {}) => ({ type: 'conversation.item.create', item, ...more });

  it('Items are inserted at their position, can be retrieved and can be deleted', async () => {
    const { talker, gateway } = await stage(dialect);
    const { say, until } = await talker();
    say(create(text('two', 'Second')));
    expect(await until(added)).toMatchObject({ previous_item_id: null, item: { id: 'two', status: 'completed' } });
    say(create(text('three', 'Third')));
    expect((await until(added)).previous_item_id).toBe('two');
    say(create(text('one', 'First'), { previous_item_id: 'root' }));
    say(create(text('half', 'And a half'), { previous_item_id: 'two' }));
    await until(added);
    expect((await until(added)).previous_item_id).toBe('two');
    const held = () => gateway.realtime.sessions[0]?.items.map(({ id }) => id);
    expect(held()).toEqual(['one', 'two', 'half', 'three']);
    say({ type: 'conversation.item.retrieve', item_id: 'half' });
    expect((await until('conversation.item.retrieved')).item.content[0].text).toBe('And a half');
    say({ type: 'conversation.item.delete', item_id: 'half' });
    expect((await until('conversation.item.deleted')).item_id).toBe('half');
    expect(held()).toEqual(['one', 'two', 'three']);
  });

  it('A duplicate item and an unknown item id are refused', async () => {
    const { say, until } = await (await stage(dialect)).talker();
    say(create(text('one', 'First')));
    const refused = async (event: object) => {
      say(event);
      return (await until('error')).error.code;
    };
    expect(await refused(create(text('one', 'Again')))).toBe('item_create_duplicate_item_id');
    expect(await refused(create(text('two', 'Lost'), { previous_item_id: 'none' }))).toBe(
      'item_create_previous_item_not_found',
    );
    expect(await refused({ type: 'conversation.item.delete', item_id: 'two' })).toBe('item_delete_invalid_item_id');
    expect(await refused({ type: 'conversation.item.retrieve', item_id: 'two' })).toBe('item_retrieve_invalid_item_id');
    const truncate = { type: 'conversation.item.truncate', content_index: 0, audio_end_ms: 0 };
    expect(await refused({ ...truncate, item_id: 'two' })).toBe('item_truncate_invalid_item_id');
    expect(await refused({ ...truncate, item_id: 'one' })).toBe('invalid_value');
  });

  it('Clearing the output audio does not affect the items', async () => {
    const { say, until } = await (await stage(dialect)).talker();
    say({ type: 'output_audio_buffer.clear' });
    await until('output_audio_buffer.cleared');
  });
});

it('A gateway with the current dialect refuses clients of the beta dialect', async () => {
  const headers = { 'openai-beta': 'realtime=v1' };
  const today = await (await stage('ga')).talker({ headers });
  expect((await today.until('error')).error.code).toBe('beta_api_shape_disabled');
  expect(await today.closed).toBe(1011);
  expect(today.events).toHaveLength(1);
  await (await (await stage('beta')).talker({ headers })).until('session.created');
});
