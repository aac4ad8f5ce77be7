import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import type { Utterance } from '../../../src/services/gateway/realtime-events.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { bytesOf, framesFor } from './realtime/frames.ts';
import {
  acceptOnly,
  collectEvents,
  type Dialect,
  dialects,
  endOf,
  type Peer,
  samplesOf,
  sessions,
  startServer,
  textOf,
} from './realtime/scripted.ts';

const usage = {
  total_tokens: 35,
  input_tokens: 20,
  output_tokens: 15,
  cost: '0.0123',
  input_token_details: { text_tokens: 8, audio_tokens: 12, cached_tokens: 4 },
  output_token_details: { text_tokens: 5, audio_tokens: 10 },
};

async function openAndSend(dialect: Dialect, utterance: Utterance = { text: 'Hello' }, clock: Clock = systemClock) {
  const server = await startServer({ created: sessions[dialect], onEvent: acceptOnly(dialect), tools: { clock } });
  const session = await server.gateway.realtime.open({ model: 'm', transcriber: 'ears' });
  const peer = await server.next();
  const reply = session.say(utterance);
  await peer.waitFor('response.create');
  return { ...server, session, peer, reply };
}

async function respondWith(dialect: Dialect, respond: (peer: Peer) => void) {
  const { peer, reply, session } = await openAndSend(dialect);
  respond(peer);
  const answer = await reply;
  return { events: await collectEvents(answer), answer, session, peer };
}

describe.each(dialects)('A live response in the %s dialect', (dialect) => {
  const frames = framesFor(dialect);

  it('A live response arrives as text and audio, and its end event contains the full text', async () => {
    const { events, answer } = await respondWith(dialect, (peer) =>
      peer.send(
        frames.created,
        frames.transcript('Hel'),
        frames.audio(bytesOf(1, -2)),
        frames.transcript('lo.'),
        frames.audio(bytesOf(32_767, -32_768)),
        frames.audioDone,
        frames.transcriptDone('Hello.'),
        frames.item('Hello.'),
        frames.done({ usage }),
      ),
    );
    expect(answer.id).toBe('resp_1');
    expect(events.map(({ type }) => type)).toEqual(['text', 'audio', 'text', 'audio', 'end']);
    expect(textOf(events)).toBe('Hello.');
    expect(samplesOf(events)).toEqual([1, -2, 32_767, -32_768]);
    expect(endOf(events)).toEqual({
      id: 'resp_1',
      end: 'completed',
      text: 'Hello.',
      usage: { input: 20, cached: 4, output: 15, audioInput: 12, audioOutput: 10 },
      cost: '0.0123',
      reason: undefined,
      error: undefined,
    });
  });

  it('Events that repeat the text of a live response fill in what was missing and never duplicate it', async () => {
    const part = { type: 'response.content_part.done', response_id: 'resp_1', item_id: 'item_a', content_index: 0 };
    const { events } = await respondWith(dialect, (peer) =>
      peer.send(
        frames.created,
        frames.created,
        frames.text('One'),
        frames.textDone('One two'),
        { ...part, part: { type: 'text', text: 'One two' } },
        frames.item('One two three'),
        frames.done({
          output: [{ id: 'item_a', type: 'message', role: 'assistant', content: [{ text: 'One two three four' }] }],
        }),
        frames.done(),
      ),
    );
    expect(textOf(events)).toBe('One two three four');
    expect(endOf(events).text).toBe('One two three four');
  });

  it('A live response ignores an event that the gateway sends twice', async () => {
    const audio = { ...frames.audio(bytesOf(7)), event_id: 'event_5' };
    const delta = { ...frames.text('Ha'), event_id: 'event_4' };
    const { events } = await respondWith(dialect, (peer) =>
      peer.send(frames.created, delta, delta, audio, audio, frames.done()),
    );
    expect(textOf(events)).toBe('Ha');
    expect(samplesOf(events)).toEqual([7]);
  });

  it('A live response is assembled correctly when a sample is split across events', async () => {
    const bytes = bytesOf(258, 772, 1286);
    const { events } = await respondWith(dialect, (peer) =>
      peer.send(
        frames.created,
        frames.audio(bytes.subarray(0, 1)),
        frames.audio(bytes.subarray(1, 4)),
        frames.audio(bytes.subarray(4)),
        frames.done(),
      ),
    );
    expect(samplesOf(events)).toEqual([258, 772, 1286]);
  });

  it('A live response ignores other responses, unknown events and invalid audio', async () => {
    const otherFrames = framesFor(dialect, 'resp_other');
    const { events } = await respondWith(dialect, (peer) =>
      peer.send(
        frames.created,
        otherFrames.text('Not me'),
        otherFrames.audio(bytesOf(9)),
        otherFrames.done(),
        { type: 'response.dreams.delta', response_id: 'resp_1', delta: 'zzz' },
        { type: 'rate_limits.updated', rate_limits: [] },
        { ...frames.audio(bytesOf()), delta: '!!! no sound' },
        { ...frames.audio(bytesOf()), delta: 5 },
        { ...frames.text(''), delta: null },
        frames.text('Me'),
        frames.done(),
      ),
    );
    expect(textOf(events)).toBe('Me');
    expect(endOf(events).end).toBe('completed');
  });

  it.each([
    ['completed', {}, { end: 'completed' }],
    [
      'incomplete',
      { type: 'incomplete', reason: 'max_output_tokens' },
      { end: 'incomplete', reason: 'max_output_tokens' },
    ],
    ['cancelled', { type: 'cancelled', reason: 'turn_detected' }, { end: 'cancelled', reason: 'turn_detected' }],
    [
      'failed',
      { type: 'failed', error: { type: 'invalid_request_error', code: 'insufficient_quota', message: 'Empty' } },
      { end: 'failed', error: { kind: 'quota', message: 'Empty', mayHaveTakenEffect: true } },
    ],
    ['failed', { error: {} }, { end: 'failed', error: { kind: 'unavailable', mayHaveTakenEffect: true } }],
  ])('A live response with the status %s ends accordingly (%j)', async (status, status_details, expected) => {
    const { events } = await respondWith(dialect, (peer) =>
      peer.send(frames.created, frames.text('Some'), frames.done({ status, status_details, usage })),
    );
    expect(endOf(events)).toMatchObject({ text: 'Some', usage: { input: 20 }, ...expected });
  });

  it('A live response that failed before its first word is known not to have taken effect if the gateway gives the reason', async () => {
    const { events } = await respondWith(dialect, (peer) =>
      peer.send(
        frames.created,
        frames.done({
          status: 'failed',
          status_details: { error: { type: 'server_error', code: 'rate_limit_exceeded' } },
        }),
      ),
    );
    expect(endOf(events).error).toMatchObject({ kind: 'rate-limited', mayHaveTakenEffect: false });
  });

  it('A live response may end immediately, without a `response.created` event', async () => {
    const { events, answer } = await respondWith(dialect, (peer) => peer.send(frames.done({ status: 'failed' })));
    expect(answer.id).toBe('resp_1');
    expect(endOf(events).end).toBe('failed');
  });

  it('A live response reports the transcript of the utterance, and reports it once', async () => {
    const { peer, reply } = await openAndSend(dialect, { audio: new Int16Array(2400) });
    const itemFields = { item_id: 'item_q', content_index: 0 };
    const transcription = 'conversation.item.input_audio_transcription';
    peer.send(
      { type: 'input_audio_buffer.committed', item_id: 'item_q' },
      { type: `${transcription}.delta`, ...itemFields, delta: 'Good' },
      frames.created,
      frames.text('Yes'),
      { type: `${transcription}.completed`, item_id: 'item_of_another', transcript: 'Not this' },
      { type: `${transcription}.completed`, ...itemFields, transcript: 'Good morning' },
      { type: `${transcription}.completed`, ...itemFields, transcript: 'Good morning' },
      frames.done(),
    );
    const events = await collectEvents(await reply);
    expect(events.filter(({ type }) => type === 'heard')).toEqual([{ type: 'heard', text: 'Good morning' }]);
    expect(endOf(events).text).toBe('Yes');
  });

  it('A live response waits a moment for the transcript, which may arrive after the last word', async () => {
    const { peer, reply } = await openAndSend(dialect, { audio: new Int16Array(2400) });
    peer.send(frames.created, frames.done());
    const answer = await reply;
    peer.send({ type: 'conversation.item.input_audio_transcription.completed', item_id: 'x', transcript: 'Late' });
    expect((await collectEvents(answer)).map(({ type }) => type)).toEqual(['heard', 'end']);
  });

  it('A live response stops waiting for the transcript after a moment and reports what has arrived so far', async () => {
    const clock = new ManualClock();
    const { peer, reply } = await openAndSend(dialect, { audio: new Int16Array(2400) }, clock);
    const transcription = 'conversation.item.input_audio_transcription';
    peer.send(frames.created, { type: `${transcription}.delta`, item_id: 'x', delta: 'Good mor' }, frames.done());
    const answer = await reply;
    await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
    clock.advance(2_000);
    expect(await collectEvents(answer)).toMatchObject([{ type: 'heard', text: 'Good mor' }, { type: 'end' }]);
  });

  it('A live response does not wait for a transcript after transcription failed', async () => {
    const { peer, reply } = await openAndSend(dialect, { audio: new Int16Array(2400) });
    peer.send(frames.created, { type: 'conversation.item.input_audio_transcription.failed', error: {} }, frames.done());
    expect((await collectEvents(await reply)).map(({ type }) => type)).toEqual(['end']);
  });
});
