import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { framesFor } from './frames.ts';
import { acceptOnly, collectEvents, endOf, failureOf, refusalOf, sessions, startServer, textOf } from './scripted.ts';

const frames = framesFor('ga');
const silentAudio = new Int16Array(60_000);

async function openConversation(script: Parameters<typeof startServer>[0] = {}, settings = {}) {
  const server = await startServer(script);
  const session = await server.gateway.realtime.open({ model: 'm', ...settings });
  return { ...server, session, peer: await server.next() };
}

describe('An utterance in a live conversation', () => {
  it('An utterance is sent as text, with one request for a response', async () => {
    const { session, peer } = await openConversation();
    const reply = session.say({ text: 'Hello' });
    expect((await peer.waitFor('conversation.item.create')).item).toEqual({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Hello' }],
    });
    await peer.waitFor('response.create');
    peer.send(frames.created);
    expect((await reply).id).toBe('resp_1');
    expect(peer.types()).toEqual(['session.update', 'conversation.item.create', 'response.create']);
    const eventIds = peer.received.map(({ event_id }) => event_id);
    expect(new Set(eventIds).size).toBe(3);
    expect(eventIds.every((name) => typeof name === 'string')).toBe(true);
  });

  it('An utterance is sent as audio in chunks of one second, before the text', async () => {
    const { session, peer } = await openConversation();
    const audio = Int16Array.from(silentAudio, (_none, index) => (index % 600) - 300);
    const reply = session.say({ text: 'And this', audio });
    await peer.waitFor('response.create');
    const createType = 'conversation.item.create';
    const appendType = 'input_audio_buffer.append';
    const expectedTypes = [
      appendType,
      appendType,
      appendType,
      'input_audio_buffer.commit',
      createType,
      'response.create',
    ];
    expect(peer.types().slice(1)).toEqual(expectedTypes);
    const receivedChunks = peer.received.flatMap(({ audio }) =>
      typeof audio === 'string' ? [Buffer.from(audio, 'base64')] : [],
    );
    expect(Buffer.concat(receivedChunks).equals(Buffer.from(audio.buffer))).toBe(true);
    peer.send(frames.created);
    await reply;
  });

  it.each([[{}], [{ text: '  ' }], [{ audio: new Int16Array() }], [{ text: '' }]])(
    'An utterance is refused locally if it is empty: %j',
    async (utterance) => {
      const { session, peer } = await openConversation();
      expect(await failureOf(session.say(utterance))).toMatchObject({ kind: 'invalid', mayHaveTakenEffect: false });
      expect(peer.types()).toEqual(['session.update']);
    },
  );

  it('An utterance is refused during a response and accepted after its end', async () => {
    const { session, peer } = await openConversation();
    const first = session.say({ text: 'One' });
    expect(await failureOf(session.say({ text: 'Two' }))).toMatchObject({ code: 'busy', mayHaveTakenEffect: false });
    await peer.waitFor('response.create');
    peer.send(frames.created);
    const answer = await first;
    expect(await failureOf(session.say({ text: 'Three' }))).toMatchObject({ code: 'busy' });
    peer.send(frames.done());
    await collectEvents(answer);
    const second = session.say({ text: 'Four' });
    await peer.waitFor('response.create');
    // A late event of the first response must not count for the second one.
    peer.send(frames.done(), framesFor('ga', 'resp_2').created);
    expect((await second).id).toBe('resp_2');
    expect(JSON.stringify(peer.items())).not.toMatch(/Two|Three/);
  });

  it('An utterance that the gateway refuses did not take effect, and is dropped together with its connection', async () => {
    const { session, peer, next } = await openConversation();
    const reply = failureOf(session.say({ audio: silentAudio }));
    peer.send(refusalOf(await peer.waitFor('input_audio_buffer.commit'), { code: 'input_audio_buffer_commit_empty' }));
    expect(await reply).toMatchObject({
      kind: 'invalid',
      code: 'input_audio_buffer_commit_empty',
      mayHaveTakenEffect: false,
    });
    await peer.closed;
    const newPeer = await next();
    const second = session.say({ text: 'Hello' });
    await newPeer.waitFor('response.create');
    newPeer.send(frames.created);
    await second;
    expect(newPeer.items()).toHaveLength(1);
  });

  it("An utterance is refused even if the gateway's error does not name the event", async () => {
    const { session, peer } = await openConversation();
    const reply = failureOf(session.say({ text: 'Hello' }));
    await peer.waitFor('response.create');
    peer.send({ type: 'error', error: { code: 'rate_limit_exceeded', message: 'Slow down' } });
    expect(await reply).toMatchObject({ kind: 'rate-limited', message: 'Slow down', mayHaveTakenEffect: false });
  });

  it('An utterance may have taken effect if a server error does not name an event', async () => {
    const { session, peer } = await openConversation();
    const reply = failureOf(session.say({ text: 'Hello' }));
    await peer.waitFor('response.create');
    peer.send({ type: 'error', error: { type: 'server_error', message: 'Oops' } });
    expect(await reply).toMatchObject({ kind: 'unavailable', mayHaveTakenEffect: true });
  });

  it('An utterance is not affected by an error about another event', async () => {
    const { session, peer, logLines } = await openConversation();
    const reply = session.say({ text: 'Hello' });
    await peer.waitFor('response.create');
    peer.send(
      refusalOf({ type: 'x', event_id: 'of_another' }, { code: 'item_truncate_invalid_item_id' }),
      frames.created,
    );
    await reply;
    expect(logLines.join()).toContain('item_truncate_invalid_item_id');
  });

  it('An utterance is repeated on a new connection if its connection is lost before a response was requested', async () => {
    const clock = new ManualClock();
    let hasDisconnected = false;
    const { session, peer, next } = await openConversation({
      tools: { clock },
      limits: { attempts: 3 },
      onEvent: (connection, event) => {
        acceptOnly('ga')(connection, event);
        if (event.type !== 'conversation.item.create' || hasDisconnected) return;
        hasDisconnected = true;
        connection.socket.terminate();
      },
    });
    clock.advance(10_000);
    const reply = session.say({ text: 'Hello' });
    const newPeer = await next();
    await newPeer.waitFor('response.create');
    newPeer.send(frames.created);
    expect((await reply).id).toBe('resp_1');
    expect(peer.types()).not.toContain('response.create');
    expect(newPeer.items()).toHaveLength(1);
  });

  it('An utterance is repeated on a new connection if its connection is unresponsive', async () => {
    const clock = new ManualClock();
    const { session, peer, next } = await openConversation({ tools: { clock }, limits: { attempts: 3 } });
    clock.advance(10_000);
    peer.socket.pause();
    const reply = session.say({ text: 'Hello' });
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10_000);
    const newPeer = await next();
    await newPeer.waitFor('response.create');
    newPeer.send(frames.created);
    await reply;
    peer.socket.resume();
    await peer.closed;
    expect(peer.types()).not.toContain('response.create');
  });

  it('An utterance fails if every connection is lost before a response is requested', async () => {
    const { session } = await openConversation({
      onEvent: (connection, event) =>
        event.type === 'input_audio_buffer.append'
          ? connection.socket.terminate()
          : acceptOnly('ga')(connection, event),
      limits: { attempts: 2 },
    });
    const longAudio = new Int16Array(24_000 * 120);
    expect(await failureOf(session.say({ audio: longAudio }))).toMatchObject({
      code: 'cut',
      mayHaveTakenEffect: false,
    });
  });

  it('An utterance may have taken effect if the connection is lost after a response was requested', async () => {
    const { session, peer, next } = await openConversation();
    const reply = failureOf(session.say({ text: 'Hello' }));
    await peer.waitFor('response.create');
    peer.socket.terminate();
    expect(await reply).toMatchObject({ kind: 'unreachable', code: 'cut', mayHaveTakenEffect: true });
    // The client does not repeat the utterance, because the member has to decide about that.
    const newPeer = await next();
    await newPeer.waitFor('session.update');
    expect(newPeer.items()).toEqual([]);
  });

  it('An utterance may have taken effect if no response begins in time', async () => {
    const clock = new ManualClock();
    const { session, peer } = await openConversation({ tools: { clock }, limits: { submitMs: 10_000 } });
    const reply = failureOf(session.say({ text: 'Hello' }));
    await peer.waitFor('response.create');
    clock.advance(10_000);
    expect(await reply).toMatchObject({ kind: 'unreachable', code: 'silent', mayHaveTakenEffect: true });
    await peer.closed;
  });

  it('An utterance that is aborted did not take effect before a response was requested, and may have afterwards', async () => {
    const { session, peer } = await openConversation();
    expect(await failureOf(session.say({ text: 'Hello' }, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
      mayHaveTakenEffect: false,
    });
    expect(peer.types()).toEqual(['session.update']);
    const controller = new AbortController();
    const reply = failureOf(session.say({ text: 'Hello' }, { signal: controller.signal }));
    await peer.waitFor('response.create');
    controller.abort();
    expect(await reply).toMatchObject({ code: 'aborted', mayHaveTakenEffect: true });
    await peer.closed;
  });

  it('An utterance is sent no faster than the gateway accepts it', async () => {
    const { session, peer } = await openConversation();
    peer.socket.pause();
    const controller = new AbortController();
    const reply = failureOf(session.say({ audio: new Int16Array(24_000 * 600) }, { signal: controller.signal }));
    const bytesBefore = process.memoryUsage().arrayBuffers;
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    // Ten minutes of audio are 38 MB on the wire.
    expect(process.memoryUsage().arrayBuffers - bytesBefore).toBeLessThan(20_000_000);
    controller.abort();
    expect(await reply).toMatchObject({ code: 'aborted', mayHaveTakenEffect: false });
  });
});

describe('A truncated live response', () => {
  it('A truncated live response ends with the text received so far, and the conversation continues on another connection', async () => {
    const { session, peer, next } = await openConversation();
    const reply = session.say({ text: 'Tell me' });
    await peer.waitFor('response.create');
    peer.send(frames.created, frames.text('Once upon'));
    const answer = await reply;
    const [events] = await Promise.all([
      collectEvents(answer),
      (async () => {
        await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
        peer.socket.terminate();
      })(),
    ]);
    expect(endOf(events)).toMatchObject({
      end: 'cut',
      text: 'Once upon',
      error: { kind: 'unreachable', code: 'cut', mayHaveTakenEffect: true },
    });
    const newPeer = await next();
    await newPeer.waitFor('session.update');
    expect(newPeer.types()).not.toContain('response.create');
  });

  it('A truncated live response ends as cut off if the gateway stays connected but sends nothing more', async () => {
    const clock = new ManualClock();
    const { session, peer } = await openConversation({ tools: { clock }, limits: { silenceMs: 15_000 } });
    const reply = session.say({ text: 'Tell me' });
    await peer.waitFor('response.create');
    peer.send(frames.created);
    const answer = await reply;
    clock.advance(15_000);
    expect(endOf(await collectEvents(answer))).toMatchObject({ end: 'cut', error: { code: 'silent' } });
    await peer.closed;
  });

  it('A live response whose events keep arriving is cut off after a quarter of an hour', async () => {
    const clock = new ManualClock();
    const { session, peer } = await openConversation({ tools: { clock } });
    const reply = session.say({ text: 'Tell me' });
    await peer.waitFor('response.create');
    peer.send(frames.created);
    const events = collectEvents(await reply);
    for (let seconds = 0; seconds < 15 * 60; seconds += 10) {
      peer.send(frames.text('and '));
      await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
      clock.advance(10_000);
    }
    expect(endOf(await events)).toMatchObject({ end: 'cut', text: 'and '.repeat(90), error: { code: 'silent' } });
    await peer.closed;
  });

  it('A truncated live response ends as cut off when it exceeds the size limit', async () => {
    const { session, peer } = await openConversation({ limits: { responseBytes: 1_000 } });
    const reply = session.say({ text: 'Tell me' });
    await peer.waitFor('response.create');
    peer.send(frames.created, frames.text('a'.repeat(500)), frames.text('b'.repeat(500)));
    expect(endOf(await collectEvents(await reply))).toMatchObject({ end: 'cut', error: { code: 'too_large' } });
    await peer.closed;
  });
});

describe('Interrupting a live response', () => {
  const audioFrame = (count: number) => frames.audio(Buffer.from(new Int16Array(count).buffer));

  async function startAnswer(script: Parameters<typeof startServer>[0] = {}) {
    const server = await openConversation(script);
    const reply = server.session.say({ text: 'Tell me' });
    await server.peer.waitFor('response.create');
    server.peer.send(frames.created, frames.transcript('Once'), audioFrame(2_400), audioFrame(1_212));
    const answer = await reply;
    await new Promise((resolve) => server.peer.socket.once('pong', resolve).ping());
    return { ...server, answer };
  }

  it('Interrupting a live response cancels it, truncates its audio to the part received so far, and ends it', async () => {
    const { answer, peer, session } = await startAnswer();
    const interruption = answer.interrupt();
    expect(await peer.waitFor('response.cancel')).toMatchObject({ response_id: 'resp_1' });
    expect(await peer.waitFor('conversation.item.truncate')).toMatchObject({
      item_id: 'item_a',
      content_index: 0,
      audio_end_ms: 150,
    });
    peer.send(
      frames.transcript(' upon a time'),
      audioFrame(2_400),
      frames.done({ status: 'completed', usage: { input_tokens: 3 }, output: [] }),
    );
    await interruption;
    const events = await collectEvents(answer);
    expect(endOf(events)).toMatchObject({ end: 'cancelled', text: 'Once', usage: { input: 3 } });
    expect(events.filter(({ type }) => type === 'audio')).toHaveLength(2);
    const second = session.say({ text: 'Something else' });
    await peer.waitFor('response.create');
    peer.send(framesFor('ga', 'resp_2').created);
    expect((await second).id).toBe('resp_2');
  });

  it('Interrupting a live response has no further effect when it is repeated or comes after the end', async () => {
    const { answer, peer } = await startAnswer();
    const interruptions = Promise.all([answer.interrupt(), answer.interrupt()]);
    const cancelEvent = await peer.waitFor('response.cancel');
    peer.send(refusalOf(cancelEvent, { code: 'response_cancel_not_active' }), frames.done({ status: 'cancelled' }));
    await interruptions;
    await answer.interrupt();
    await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
    expect(peer.types().filter((type) => type === 'response.cancel')).toHaveLength(1);
    expect(endOf(await collectEvents(answer)).end).toBe('cancelled');
  });

  it('Interrupting a live response stops waiting for a gateway that ignores the cancellation', async () => {
    const clock = new ManualClock();
    const { answer, peer } = await startAnswer({ tools: { clock } });
    const interruption = answer.interrupt();
    await peer.waitFor('response.cancel');
    for (let second = 0; second < 5; second++) {
      peer.send(audioFrame(10));
      await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
      clock.advance(1_000);
    }
    await interruption;
    expect(endOf(await collectEvents(answer))).toMatchObject({ end: 'cancelled', text: 'Once' });
    await peer.closed;
  });

  it('Interrupting a live response ends it as cancelled if the connection is lost in the meantime, with the text received so far', async () => {
    const { answer, peer, next } = await startAnswer();
    const interruption = answer.interrupt();
    await peer.waitFor('response.cancel');
    peer.socket.terminate();
    await interruption;
    const events = await collectEvents(answer);
    expect(endOf(events).end).toBe('cancelled');
    expect(textOf(events)).toBe('Once');
    await (await next()).waitFor('session.update');
  });

  it('Interrupting a live response does not wait for the transcript', async () => {
    const server = await startServer({ created: sessions.ga });
    const session = await server.gateway.realtime.open({ model: 'm', transcriber: 'ears' });
    const peer = await server.next();
    const reply = session.say({ audio: silentAudio });
    await peer.waitFor('response.create');
    peer.send(frames.created, frames.done());
    const answer = await reply;
    await new Promise((resolve) => peer.socket.once('pong', resolve).ping());
    await answer.interrupt();
    expect(endOf(await collectEvents(answer)).end).toBe('completed');
  });
});
