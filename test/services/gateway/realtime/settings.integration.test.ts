import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { acceptOnly, type ClientEvent, dialects, failureOf, refusalOf, sessions, startServer } from './scripted.ts';

const format = { type: 'audio/pcm', rate: 24_000 };
const settings = { model: 'm', instructions: 'Be brief', voice: 'ash', transcriber: 'ears' };
const latestSettings = (events: readonly ClientEvent[]) =>
  events.filter(({ type }) => type === 'session.update').at(-1)?.session;

describe('The settings of a live conversation', () => {
  it('The settings of a live conversation are sent in the ga dialect by default', async () => {
    const { gateway, next } = await startServer({ onEvent: acceptOnly('ga') });
    await gateway.realtime.open(settings);
    expect(latestSettings((await next()).received)).toEqual({
      type: 'realtime',
      output_modalities: ['audio'],
      instructions: 'Be brief',
      audio: {
        input: { format, transcription: { model: 'ears' }, turn_detection: null },
        output: { format, voice: 'ash' },
      },
    });
  });

  it('The settings of a live conversation are sent in the beta dialect to a gateway that uses it', async () => {
    const { gateway, next } = await startServer({ created: sessions.beta, onEvent: acceptOnly('beta') });
    await gateway.realtime.open(settings);
    expect(latestSettings((await next()).received)).toEqual({
      modalities: ['text', 'audio'],
      instructions: 'Be brief',
      voice: 'ash',
      input_audio_format: 'pcm16',
      output_audio_format: 'pcm16',
      input_audio_transcription: { model: 'ears' },
      turn_detection: null,
    });
  });

  it.each(dialects)('The settings of a live conversation contain only requested fields (%s)', async (dialect) => {
    const { gateway, next } = await startServer({ created: sessions[dialect], onEvent: acceptOnly(dialect) });
    await gateway.realtime.open({ model: 'm' });
    expect(JSON.stringify(latestSettings((await next()).received))).not.toMatch(
      /voice|transcription|tools|instructions/,
    );
  });

  it.each(dialects)(
    'The settings of a live conversation are sent in the dialect found by trial and error, and that dialect is remembered (%s)',
    async (dialect) => {
      const { gateway, next } = await startServer({ created: sessions.neither, onEvent: acceptOnly(dialect) });
      await gateway.realtime.open({ model: 'm' });
      expect((await next()).types()).toHaveLength(dialect === 'ga' ? 1 : 2);
      await gateway.realtime.open({ model: 'm' });
      const secondPeer = await next();
      expect(secondPeer.types()).toEqual(['session.update']);
      expect(latestSettings(secondPeer.received)?.type).toBe(dialect === 'ga' ? 'realtime' : undefined);
    },
  );

  it('The settings of a live conversation are sent again once in the other dialect if the gateway misreported its dialect', async () => {
    const { gateway, next } = await startServer({ created: sessions.beta, onEvent: acceptOnly('ga') });
    await gateway.realtime.open({ model: 'm' });
    expect((await next()).types()).toEqual(['session.update', 'session.update']);
  });

  it('The settings of a live conversation are sent at most twice to a gateway that supports neither dialect', async () => {
    const { gateway, next } = await startServer({
      onEvent: (peer, event) => peer.send(refusalOf(event, { code: 'unknown_parameter', param: 'session.type' })),
    });
    expect(await failureOf(gateway.realtime.open({ model: 'm' }))).toMatchObject({ kind: 'invalid' });
    const peer = await next();
    await peer.closed;
    expect(peer.types()).toHaveLength(2);
  });

  it("The settings of a live conversation are refused with the gateway's own message, and the other dialect is not tried", async () => {
    const { gateway, next } = await startServer({
      onEvent: (peer, event) =>
        peer.send(
          refusalOf(event, {
            code: 'invalid_value',
            param: 'session.audio.output.voice',
            message: 'No voice session.type',
          }),
        ),
    });
    expect(await failureOf(gateway.realtime.open(settings))).toMatchObject({
      kind: 'invalid',
      message: 'No voice session.type',
      param: 'session.audio.output.voice',
      mayHaveTakenEffect: false,
    });
    const peer = await next();
    await peer.closed;
    expect(peer.types()).toEqual(['session.update']);
  });

  it.each([
    ['ga', 'session.audio.input.transcription.model'],
    ['beta', 'session.input_audio_transcription.model'],
  ] as const)(
    'The settings of a live conversation are sent without transcription if the gateway refuses it (%s)',
    async (dialect, param) => {
      const { gateway, next, logLines } = await startServer({
        created: sessions[dialect],
        onEvent: (peer, event) =>
          JSON.stringify(event).includes('ears')
            ? peer.send(refusalOf(event, { param }))
            : acceptOnly(dialect)(peer, event),
      });
      await gateway.realtime.open(settings);
      const peer = await next();
      expect(JSON.stringify(latestSettings(peer.received))).not.toContain('ears');
      expect(JSON.stringify(latestSettings(peer.received))).toContain('ash');
      expect(logLines.join()).toContain('refused to transcribe');
    },
  );

  it("The settings of a live conversation are sent only after the gateway's first event", async () => {
    const { gateway, next } = await startServer({ created: null });
    const pendingSession = gateway.realtime.open({ model: 'm' });
    const peer = await next();
    await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
    expect(peer.received).toEqual([]);
    peer.send({ type: 'session.created', session: sessions.ga });
    expect((await pendingSession).id).toBe('sess_1');
  });

  it.each([
    ['sends nothing at all', { created: null }],
    ['never confirms the settings', { onEvent: () => undefined }],
  ])('The settings of a live conversation time out if the gateway %s', async (_name, script) => {
    const clock = new ManualClock();
    const { gateway, next } = await startServer({ ...script, tools: { clock } });
    const pendingSession = failureOf(gateway.realtime.open({ model: 'm' }));
    const peer = await next();
    if (!('created' in script)) await peer.waitFor('session.update');
    else await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
    clock.advance(15_000);
    expect(await pendingSession).toMatchObject({ kind: 'unreachable', code: 'silent', mayHaveTakenEffect: false });
    await peer.closed;
  });

  it('The settings of a live conversation time out if the gateway reports errors about other events without end', async () => {
    const clock = new ManualClock();
    const { gateway, next } = await startServer({ onEvent: () => undefined, tools: { clock } });
    const pendingSession = failureOf(gateway.realtime.open({ model: 'm' }));
    const peer = await next();
    await peer.waitFor('session.update');
    for (let seconds = 0; seconds < 60; seconds += 10) {
      peer.send({ type: 'error', error: { event_id: 'another', code: 'odd', message: 'No' } });
      await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
      clock.advance(10_000);
    }
    expect(await pendingSession).toMatchObject({ kind: 'unreachable', code: 'silent', mayHaveTakenEffect: false });
    await peer.closed;
  });

  it('The settings of a live conversation are not sent to a gateway that opens with an error', async () => {
    const { gateway, next } = await startServer({ created: null });
    const pendingSession = failureOf(gateway.realtime.open({ model: 'm' }));
    const peer = await next();
    peer.send({ type: 'error', error: { type: 'invalid_request_error', code: 'model_not_found', message: 'No m' } });
    expect(await pendingSession).toMatchObject({ kind: 'not-found', message: 'No m' });
    await peer.closed;
    expect(peer.received).toEqual([]);
  });

  it('The settings of a live conversation fail if the connection is dropped before they are confirmed', async () => {
    const { gateway } = await startServer({ onEvent: (peer) => peer.socket.terminate() });
    expect(await failureOf(gateway.realtime.open({ model: 'm' }))).toMatchObject({ kind: 'unreachable', code: 'cut' });
  });
});
