import { expect, it } from 'vitest';
import { dialects, NAMES_BY_DIALECT, otherDialect } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { realtimePresets } from '../../../../sandbox/gateway/realtime/fault.ts';
import { bytesOf } from '../../../../sandbox/gateway/realtime/input-buffer.ts';
import { synthesizeSpeech } from '../../../../sandbox/gateway/realtime/voice.ts';
import { describeVariants } from '../../../support/variants.ts';
import type { Json } from '../bench.ts';
import {
  deltas,
  type RealtimeClient,
  type RealtimeGateway,
  settings,
  startRealtimeGateway,
  userMessage,
} from './test-client.ts';

type Preset = keyof typeof realtimePresets;

/** Opens a session and requests a response, to which the fault applies. */
async function requestWithFault(
  fixture: RealtimeGateway,
  fault: Preset,
  { speaks = false, after }: { speaks?: boolean; after?: number } = {},
): Promise<RealtimeClient> {
  const client = await fixture.connect();
  client.send(settings(fixture.dialect, { speaks, voice: 'ash' }));
  await client.waitFor('session.updated');
  fixture.gateway.faults.add({ do: after === undefined ? fault : { ...realtimePresets[fault], after } });
  client.send(userMessage('Tell me of foxes'));
  client.send({ type: 'response.create' });
  return client;
}

/** Advances the clock until the socket is closed. */
async function waitForClose({ closed }: RealtimeClient, { clock }: RealtimeGateway): Promise<number> {
  let isClosed = false;
  closed.then(
    () => {
      isClosed = true;
    },
    () => undefined,
  );
  for (let turn = 0; turn < 5_000 && !isClosed; turn++) {
    clock.advance(20);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return await closed;
}

const typesOf = (events: readonly Json[]): string[] => events.map(({ type }) => type);

describeVariants(dialects)('Socket faults in the %s dialect', (dialect) => {
  const names = NAMES_BY_DIALECT[dialect];

  it('A fault drops the connection before the first event', async () => {
    const fixture = await startRealtimeGateway(dialect);
    fixture.gateway.faults.add({ do: 'realtime-drop-open' });
    const client = await fixture.connect();
    expect(await client.closed).toBe(1006);
    expect(client.events).toEqual([]);
    expect(fixture.gateway.realtime.sessions).toEqual([]);
  });

  it('A fault drops the connection after the settings are accepted', async () => {
    const fixture = await startRealtimeGateway(dialect);
    fixture.gateway.faults.add({ do: 'realtime-drop-updated' });
    const client = await fixture.connect();
    client.send(settings(dialect));
    expect(await client.closed).toBe(1006);
    expect(typesOf(client.events).at(-1)).toBe('session.updated');
  });

  it('A fault drops the connection after a response was requested and before it begins', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const client = await requestWithFault(fixture, 'realtime-drop-asked');
    expect(await waitForClose(client, fixture)).toBe(1006);
    expect(typesOf(client.events)).not.toContain('response.created');
  });

  it.each([false, true])('A fault drops the connection in the middle of a response (audio: %s)', async (speaks) => {
    const fixture = await startRealtimeGateway(dialect);
    const client = await requestWithFault(fixture, 'realtime-drop-middle', { speaks, after: 7 });
    expect(await waitForClose(client, fixture)).toBe(1006);
    expect(typesOf(client.events).filter((type) => type.endsWith('.delta'))).toHaveLength(7);
    expect(deltas(client.events, dialect, 'audio').length > 0).toBe(speaks);
    expect(fixture.gateway.streamCount).toBe(0);
    expect(fixture.gateway.usage.rows('sk-sandbox')).toMatchObject([{ requests: 1 }]);
  });

  it.each([false, true])(
    'A fault drops the connection after the last delta and before the end of the response (audio: %s)',
    async (speaks) => {
      const fixture = await startRealtimeGateway(dialect);
      const client = await requestWithFault(fixture, 'realtime-drop-end', { speaks });
      expect(await waitForClose(client, fixture)).toBe(1006);
      const content = deltas(client.events, dialect, speaks ? 'transcript' : 'text').join('');
      expect(content).toMatch(/^This is the sandbox speaking\..*\.$/);
      expect(typesOf(client.events).some((type) => /^response\..*done$/.test(type))).toBe(false);
    },
  );

  it.each(['realtime-hang-asked', 'realtime-hang-middle'] as const)(
    'A fault makes the connection hang, so that not even a ping is answered: %s',
    async (fault) => {
      const fixture = await startRealtimeGateway(dialect);
      const { socket, waitFor } = await fixture.connect();
      await waitFor('session.created');
      const pong = new Promise((resolve) => socket.once('pong', () => resolve('pong')));
      socket.ping();
      expect(await pong).toBe('pong');
      const client = await requestWithFault(fixture, fault);
      let pongs = 0;
      client.socket.on('pong', () => {
        pongs += 1;
      });
      const advance = () => {
        fixture.clock.advance(1_000);
        return [fixture.gateway.streamCount, fixture.gateway.faults.list()];
      };
      await expect.poll(advance).toEqual([0, []]);
      const receivedDeltas = fault === 'realtime-hang-middle' ? 4 : 0;
      await expect.poll(() => deltas(client.events, dialect, 'text')).toHaveLength(receivedDeltas);
      client.socket.ping();
      client.send({ type: 'response.create' });
      // Meanwhile, another session still gets a pong.
      const otherPong = new Promise((resolve) => socket.once('pong', resolve));
      socket.ping();
      await otherPong;
      expect([pongs, deltas(client.events, dialect, 'text').length, typesOf(client.events).includes('error')]).toEqual([
        0,
        receivedDeltas,
        false,
      ]);
      client.socket.terminate();
      await expect.poll(() => fixture.gateway.realtime.sessions).toHaveLength(1);
    },
  );

  it('A fault makes the connection hang from the start', async () => {
    const fixture = await startRealtimeGateway(dialect);
    fixture.gateway.faults.add({ do: 'realtime-hang-open' });
    const silentClient = await fixture.connect();
    await (await fixture.connect()).waitFor('session.created');
    expect(silentClient.events).toEqual([]);
  });

  it('A fault makes the gateway refuse one response, and the next one succeeds', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const { send, waitFor } = await requestWithFault(fixture, 'realtime-refused');
    expect((await waitFor('error')).error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    send({ type: 'response.create' });
    expect((await waitFor('response.done')).response.status).toBe('completed');
  });

  it('A fault sends an error in the middle of a response, which continues', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const { waitFor, events } = await requestWithFault(fixture, 'realtime-error');
    expect((await waitFor('error')).error).toMatchObject({ code: 'server_error', event_id: null });
    const { response } = await waitFor('response.done');
    expect(response.output[0].content[0].text).toBe(deltas(events, dialect, 'text').join(''));
  });

  it('A fault sends an error and ends the session', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const client = await requestWithFault(fixture, 'realtime-fatal');
    await client.waitFor('error');
    expect(await waitForClose(client, fixture)).toBe(1011);
  });

  it.each(['realtime-limit', 'realtime-limit-middle'] as const)(
    'A fault ends the session before its time limit: %s',
    async (fault) => {
      const fixture = await startRealtimeGateway(dialect);
      const client = await requestWithFault(fixture, fault);
      expect((await client.waitFor('error')).error.code).toBe('session_expired');
      expect(await waitForClose(client, fixture)).toBe(1001);
      expect(typesOf(client.events).includes('response.created')).toBe(fault === 'realtime-limit-middle');
    },
  );

  it.each([
    ['realtime-failed', 'failed', { error: { code: 'server_error' } }],
    ['realtime-incomplete', 'incomplete', { reason: 'content_filter' }],
  ] as const)('A fault ends a response early, and the session continues: %s', async (fault, status, details) => {
    const fixture = await startRealtimeGateway(dialect);
    const { send, waitFor } = await requestWithFault(fixture, fault);
    const { response } = await waitFor('response.done');
    expect(response).toMatchObject({ status, status_details: { type: status, ...details } });
    expect(response.output[0].status).toBe('incomplete');
    send({ type: 'response.create' });
    expect((await waitFor('response.done')).response.status).toBe('completed');
  });

  it.each([
    ['realtime-garbage', (event: Json) => typeof event === 'string'],
    ['realtime-binary', (event: Json) => Buffer.isBuffer(event)],
  ] as const)('A fault sends a frame that is not an event: %s', async (fault, isInvalidFrame) => {
    const fixture = await startRealtimeGateway(dialect);
    const { waitFor, events } = await requestWithFault(fixture, fault);
    await waitFor('response.done');
    expect(events.filter(isInvalidFrame)).toHaveLength(1);
  });

  it('A fault sends every event twice', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const { waitFor, events } = await requestWithFault(fixture, 'realtime-duplicates');
    await waitFor('response.done');
    const { response } = await waitFor('response.done');
    expect(deltas(events, dialect, 'text')).toHaveLength(2 * response.output[0].content[0].text.split(' ').length);
  });

  it('A fault responds in the other dialect', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const { waitFor, events } = await requestWithFault(fixture, 'realtime-other-dialect', { speaks: true });
    const { response } = await waitFor('response.done');
    expect(deltas(events, otherDialect(dialect), 'transcript').join('')).toBe(response.output[0].content[0].transcript);
    expect(deltas(events, dialect, 'transcript')).toEqual([]);
  });

  it('A fault sends unknown events', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const { waitFor, events } = await requestWithFault(fixture, 'realtime-unknown');
    await waitFor('response.done');
    expect(typesOf(events).filter((type) => type.startsWith('response.weather.')).length).toBeGreaterThan(10);
  });

  it('A fault delays the response', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const { waitFor } = await requestWithFault(fixture, 'realtime-slow');
    await waitFor('response.created');
    const createdAt = fixture.clock.now();
    await waitFor(`response.${names.text}.delta`);
    expect(fixture.clock.now() - createdAt).toBeGreaterThanOrEqual(6_000);
  });

  it('A fault splits the audio within samples without losing data', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const { waitFor, events } = await requestWithFault(fixture, 'realtime-odd-bytes', { speaks: true });
    const { response } = await waitFor('response.done');
    const chunks = deltas(events, dialect, 'audio').map((delta) => Buffer.from(delta, 'base64'));
    expect(chunks.filter(({ length }) => length % 2 === 1).length).toBeGreaterThan(10);
    const { transcript } = response.output[0].content[0];
    expect(Buffer.concat(chunks).equals(bytesOf(synthesizeSpeech(transcript, 'ash')))).toBe(true);
  });

  it('A fault rejects the next settings with a transcription model', async () => {
    const fixture = await startRealtimeGateway(dialect);
    fixture.gateway.faults.add({ do: 'realtime-refuse-transcriber' });
    const { send, waitFor } = await fixture.connect();
    send(settings(dialect));
    await waitFor('session.updated');
    send(settings(dialect, { transcriber: 'parley-transcribe-1' }));
    expect((await waitFor('error')).error.param).toMatch(/transcription\.model$/);
    send(settings(dialect, { transcriber: 'parley-transcribe-1' }));
    await waitFor('session.updated');
  });

  it('A fault makes the transcription fail, and the audio still gets a response', async () => {
    const fixture = await startRealtimeGateway(dialect);
    fixture.gateway.faults.add({ do: 'realtime-transcription-failed' });
    const { send, waitFor } = await fixture.connect();
    send(settings(dialect, { transcriber: 'parley-transcribe-1' }));
    send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') });
    send({ type: 'input_audio_buffer.commit' });
    const { item_id } = await waitFor('input_audio_buffer.committed');
    send({ type: 'response.create' });
    expect(await waitFor('conversation.item.input_audio_transcription.failed')).toMatchObject({
      item_id,
      content_index: 0,
      error: { code: 'audio_unintelligible' },
    });
    expect((await waitFor('response.done')).response.status).toBe('completed');
  });

  it('A fault applies to the second response if it is set to skip the first one', async () => {
    const fixture = await startRealtimeGateway(dialect);
    const client = await fixture.connect();
    client.send(settings(dialect));
    fixture.gateway.faults.add({ do: 'realtime-failed', after: 1 });
    for (const status of ['completed', 'failed']) {
      client.send({ type: 'response.create' });
      expect((await client.waitFor('response.done')).response.status).toBe(status);
    }
  });

  it('A session ends at its time limit, regardless of the speed of jobs', async () => {
    const fixture = await startRealtimeGateway(dialect, { speed: 10 });
    const client = await fixture.connect();
    const { session } = await client.waitFor('session.created');
    expect(session.expires_at * 1_000).toBe(fixture.clock.now() + 3_600_000);
    client.send(settings(dialect));
    await client.waitFor('session.updated');
    fixture.clock.advance(session.expires_at * 1_000 - fixture.clock.now() - 1);
    client.send(settings(dialect));
    await expect.poll(() => typesOf(client.events).filter((type) => type === 'session.updated')).toHaveLength(2);
    fixture.clock.advance(1);
    expect(await client.closed).toBe(1001);
    expect(client.events.at(-1).error.code).toBe('session_expired');
  });
});

it('Faults of live sessions can be injected through the control API, by name and in full', async () => {
  const { call } = await startRealtimeGateway('ga');
  const injectFault = async (body: object) => (await call('POST', '/_sandbox/faults', { body })).status;
  for (const name of Object.keys(realtimePresets)) expect(await injectFault({ do: name }), name).toBe(201);
  expect(await injectFault({ on: { kind: 'realtime' }, do: { type: 'realtime', how: 'drop-middle', after: 2 } })).toBe(
    201,
  );
  expect(await injectFault({ do: { type: 'realtime', how: 'dance' } })).toBe(400);
});
