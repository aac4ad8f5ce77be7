import { describe, expect, it, vi } from 'vitest';
import { dialects, NAMES_BY_DIALECT, otherDialect } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { realtimePresets } from '../../../../sandbox/gateway/realtime/fault.ts';
import { bytesOf } from '../../../../sandbox/gateway/realtime/input-buffer.ts';
import { speechOf } from '../../../../sandbox/gateway/realtime/voice.ts';
import type { Json } from '../bench.ts';
import { deltas, type Stage, settings, stage, type Talker, userMessage } from './test-client.ts';

type Preset = keyof typeof realtimePresets;

/** Opens a session with a pending request for a response, to which the fault applies. */
async function askWithFault(
  fixture: Stage,
  fault: Preset,
  { speaks = false, after }: { speaks?: boolean; after?: number } = {},
): Promise<Talker> {
  const talk = await fixture.talker();
  talk.say(settings(fixture.dialect, { speaks, voice: 'ash' }));
  await talk.until('session.updated');
  fixture.gateway.faults.add({ do: after === undefined ? fault : { ...realtimePresets[fault], after } });
  talk.say(userMessage('Tell me of foxes'));
  talk.say({ type: 'response.create' });
  return talk;
}

/** Advances the clock until the socket is closed. */
async function waitForClose({ closed }: Talker, { clock }: Stage): Promise<number> {
  let isOver = false;
  closed.then(
    () => {
      isOver = true;
    },
    () => undefined,
  );
  for (let turn = 0; turn < 5_000 && !isOver; turn++) {
    clock.advance(20);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return await closed;
}

const typesOf = (events: readonly Json[]): string[] => events.map(({ type }) => type);

describe.each(dialects)('Socket faults in the %s dialect', (dialect) => {
  const names = NAMES_BY_DIALECT[dialect];

  it('A fault cuts the socket before the first event', async () => {
    const fixture = await stage(dialect);
    fixture.gateway.faults.add({ do: 'realtime-drop-open' });
    const talk = await fixture.talker();
    expect(await talk.closed).toBe(1006);
    expect(talk.events).toEqual([]);
    expect(fixture.gateway.realtime.sessions).toEqual([]);
  });

  it('A fault cuts the socket after the settings are accepted', async () => {
    const fixture = await stage(dialect);
    fixture.gateway.faults.add({ do: 'realtime-drop-updated' });
    const talk = await fixture.talker();
    talk.say(settings(dialect));
    expect(await talk.closed).toBe(1006);
    expect(typesOf(talk.events).at(-1)).toBe('session.updated');
  });

  it('A fault cuts the socket between the request for a response and its beginning', async () => {
    const fixture = await stage(dialect);
    const talk = await askWithFault(fixture, 'realtime-drop-asked');
    expect(await waitForClose(talk, fixture)).toBe(1006);
    expect(typesOf(talk.events)).not.toContain('response.created');
  });

  it.each([false, true])('A fault cuts the socket in the middle of a response (audio: %s)', async (speaks) => {
    const fixture = await stage(dialect);
    const talk = await askWithFault(fixture, 'realtime-drop-middle', { speaks, after: 7 });
    expect(await waitForClose(talk, fixture)).toBe(1006);
    expect(typesOf(talk.events).filter((type) => type.endsWith('.delta'))).toHaveLength(7);
    expect(deltas(talk.events, dialect, 'audio').length > 0).toBe(speaks);
    expect(fixture.gateway.writing).toBe(0);
    expect(fixture.gateway.usage.rows('sk-sandbox')).toMatchObject([{ requests: 1 }]);
  });

  it.each([false, true])(
    'A fault cuts the socket after the last delta and before the end of the response (audio: %s)',
    async (speaks) => {
      const fixture = await stage(dialect);
      const talk = await askWithFault(fixture, 'realtime-drop-end', { speaks });
      expect(await waitForClose(talk, fixture)).toBe(1006);
      const content = deltas(talk.events, dialect, speaks ? 'transcript' : 'text').join('');
      expect(content).toMatch(/^This is the sandbox speaking\..*\.$/);
      expect(typesOf(talk.events).some((type) => /^response\..*done$/.test(type))).toBe(false);
    },
  );

  it.each(['realtime-hang-asked', 'realtime-hang-middle'] as const)(
    'A fault makes the socket hang without a pong: %s',
    async (fault) => {
      const fixture = await stage(dialect);
      const { socket, until } = await fixture.talker();
      await until('session.created');
      const pong = new Promise((resolve) => socket.once('pong', () => resolve('pong')));
      socket.ping();
      expect(await pong).toBe('pong');
      const talk = await askWithFault(fixture, fault);
      let pongs = 0;
      talk.socket.on('pong', () => {
        pongs += 1;
      });
      await vi.waitFor(() => {
        fixture.clock.advance(1_000);
        expect(fixture.gateway.writing).toBe(0);
        expect(fixture.gateway.faults.list()).toEqual([]);
      });
      const came = fault === 'realtime-hang-middle' ? 4 : 0;
      await vi.waitFor(() => expect(deltas(talk.events, dialect, 'text')).toHaveLength(came));
      talk.socket.ping();
      talk.say({ type: 'response.create' });
      // Meanwhile, another session gets its pong and its response.
      const other = new Promise((resolve) => socket.once('pong', resolve));
      socket.ping();
      await other;
      expect([pongs, deltas(talk.events, dialect, 'text').length, typesOf(talk.events).includes('error')]).toEqual([
        0,
        came,
        false,
      ]);
      talk.socket.terminate();
      await vi.waitFor(() => expect(fixture.gateway.realtime.sessions).toHaveLength(1));
    },
  );

  it('A fault makes the socket hang from the start', async () => {
    const fixture = await stage(dialect);
    fixture.gateway.faults.add({ do: 'realtime-hang-open' });
    const silent = await fixture.talker();
    await (await fixture.talker()).until('session.created');
    expect(silent.events).toEqual([]);
  });

  it('A fault makes the gateway refuse one response, and the next one succeeds', async () => {
    const fixture = await stage(dialect);
    const { say, until } = await askWithFault(fixture, 'realtime-refused');
    expect((await until('error')).error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    say({ type: 'response.create' });
    expect((await until('response.done')).response.status).toBe('completed');
  });

  it('A fault sends an error in the middle of a response, which continues', async () => {
    const fixture = await stage(dialect);
    const { until, events } = await askWithFault(fixture, 'realtime-error');
    expect((await until('error')).error).toMatchObject({ code: 'server_error', event_id: null });
    const { response } = await until('response.done');
    expect(response.output[0].content[0].text).toBe(deltas(events, dialect, 'text').join(''));
  });

  it('A fault sends an error and ends the session', async () => {
    const fixture = await stage(dialect);
    const talk = await askWithFault(fixture, 'realtime-fatal');
    await talk.until('error');
    expect(await waitForClose(talk, fixture)).toBe(1011);
  });

  it.each(['realtime-limit', 'realtime-limit-middle'] as const)(
    'A fault ends the session before its time limit: %s',
    async (fault) => {
      const fixture = await stage(dialect);
      const talk = await askWithFault(fixture, fault);
      expect((await talk.until('error')).error.code).toBe('session_expired');
      expect(await waitForClose(talk, fixture)).toBe(1001);
      expect(typesOf(talk.events).includes('response.created')).toBe(fault === 'realtime-limit-middle');
    },
  );

  it.each([
    ['realtime-failed', 'failed', { error: { code: 'server_error' } }],
    ['realtime-incomplete', 'incomplete', { reason: 'content_filter' }],
  ] as const)('A fault ends a response early, and the session continues: %s', async (fault, status, details) => {
    const fixture = await stage(dialect);
    const { say, until } = await askWithFault(fixture, fault);
    const { response } = await until('response.done');
    expect(response).toMatchObject({ status, status_details: { type: status, ...details } });
    expect(response.output[0].status).toBe('incomplete');
    say({ type: 'response.create' });
    expect((await until('response.done')).response.status).toBe('completed');
  });

  it.each([
    ['realtime-garbage', (event: Json) => typeof event === 'string'],
    ['realtime-binary', (event: Json) => Buffer.isBuffer(event)],
  ] as const)('A fault sends a frame that is not an event: %s', async (fault, isOdd) => {
    const fixture = await stage(dialect);
    const { until, events } = await askWithFault(fixture, fault);
    await until('response.done');
    expect(events.filter(isOdd)).toHaveLength(1);
  });

  it('A fault sends every event twice', async () => {
    const fixture = await stage(dialect);
    const { until, events } = await askWithFault(fixture, 'realtime-duplicates');
    await until('response.done');
    const { response } = await until('response.done');
    expect(deltas(events, dialect, 'text')).toHaveLength(2 * response.output[0].content[0].text.split(' ').length);
  });

  it('A fault responds in the other dialect', async () => {
    const fixture = await stage(dialect);
    const { until, events } = await askWithFault(fixture, 'realtime-other-dialect', { speaks: true });
    const { response } = await until('response.done');
    expect(deltas(events, otherDialect(dialect), 'transcript').join('')).toBe(response.output[0].content[0].transcript);
    expect(deltas(events, dialect, 'transcript')).toEqual([]);
  });

  it('A fault sends unknown events', async () => {
    const fixture = await stage(dialect);
    const { until, events } = await askWithFault(fixture, 'realtime-unknown');
    await until('response.done');
    expect(typesOf(events).filter((type) => type.startsWith('response.weather.')).length).toBeGreaterThan(10);
  });

  it('A fault delays the response', async () => {
    const fixture = await stage(dialect);
    const { until } = await askWithFault(fixture, 'realtime-slow');
    await until('response.created');
    const before = fixture.clock.now();
    await until(`response.${names.text}.delta`);
    expect(fixture.clock.now() - before).toBeGreaterThanOrEqual(6_000);
  });

  it('A fault splits the audio within samples without losing data', async () => {
    const fixture = await stage(dialect);
    const { until, events } = await askWithFault(fixture, 'realtime-odd-bytes', { speaks: true });
    const { response } = await until('response.done');
    const chunks = deltas(events, dialect, 'audio').map((delta) => Buffer.from(delta, 'base64'));
    expect(chunks.filter(({ length }) => length % 2 === 1).length).toBeGreaterThan(10);
    const { transcript } = response.output[0].content[0];
    expect(Buffer.concat(chunks).equals(bytesOf(speechOf(transcript, 'ash')))).toBe(true);
  });

  it('A fault refuses every transcription model once, if the session requests one', async () => {
    const fixture = await stage(dialect);
    fixture.gateway.faults.add({ do: 'realtime-refuse-transcriber' });
    const { say, until } = await fixture.talker();
    say(settings(dialect));
    await until('session.updated');
    say(settings(dialect, { transcriber: 'parley-transcribe-1' }));
    expect((await until('error')).error.param).toMatch(/transcription\.model$/);
    say(settings(dialect, { transcriber: 'parley-transcribe-1' }));
    await until('session.updated');
  });

  it('A fault prevents the transcription, and the audio is still answered', async () => {
    const fixture = await stage(dialect);
    fixture.gateway.faults.add({ do: 'realtime-transcription-failed' });
    const { say, until } = await fixture.talker();
    say(settings(dialect, { transcriber: 'parley-transcribe-1' }));
    say({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') });
    say({ type: 'input_audio_buffer.commit' });
    const { item_id } = await until('input_audio_buffer.committed');
    say({ type: 'response.create' });
    expect(await until('conversation.item.input_audio_transcription.failed')).toMatchObject({
      ...{ item_id, content_index: 0, error: { code: 'audio_unintelligible' } },
    });
    expect((await until('response.done')).response.status).toBe('completed');
  });

  it('A fault applies to the second response if it is set to skip the first one', async () => {
    const fixture = await stage(dialect);
    const talk = await fixture.talker();
    talk.say(settings(dialect));
    fixture.gateway.faults.add({ do: 'realtime-failed', after: 1 });
    for (const status of ['completed', 'failed']) {
      talk.say({ type: 'response.create' });
      expect((await talk.until('response.done')).response.status).toBe(status);
    }
  });

  it('A fault ends the session at its time limit, regardless of the speed of jobs', async () => {
    const fixture = await stage(dialect, { speed: 10 });
    const talk = await fixture.talker();
    const { session } = await talk.until('session.created');
    expect(session.expires_at * 1_000).toBe(fixture.clock.now() + 3_600_000);
    talk.say(settings(dialect));
    await talk.until('session.updated');
    fixture.clock.advance(session.expires_at * 1_000 - fixture.clock.now() - 1);
    talk.say(settings(dialect));
    await vi.waitFor(() => expect(typesOf(talk.events).filter((type) => type === 'session.updated')).toHaveLength(2));
    fixture.clock.advance(1);
    expect(await talk.closed).toBe(1001);
    expect(talk.events.at(-1).error.code).toBe('session_expired');
  });
});

it('Faults of live sessions can be injected through the control URL, by name and in full', async () => {
  const { call } = await stage('ga');
  const order = async (body: object) => (await call('POST', '/_sandbox/faults', { body })).status;
  for (const name of Object.keys(realtimePresets)) expect(await order({ do: name }), name).toBe(201);
  expect(await order({ on: { kind: 'realtime' }, do: { type: 'realtime', how: 'drop-middle', after: 2 } })).toBe(201);
  expect(await order({ do: { type: 'realtime', how: 'dance' } })).toBe(400);
});
