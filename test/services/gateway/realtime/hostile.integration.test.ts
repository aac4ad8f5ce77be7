import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { framesFor } from './frames.ts';
import { collectEvents, dialects, endOf, startServer } from './scripted.ts';

const frames = framesFor('ga');

async function openAndSend() {
  const server = await startServer();
  const session = await server.gateway.realtime.open({ model: 'm', transcriber: 'ears' });
  const peer = await server.next();
  const reply = session.say({ text: 'Hello', audio: new Int16Array(2_400) });
  await peer.waitFor('response.create');
  return { ...server, session, peer, reply };
}

describe('A hostile realtime gateway', () => {
  it('A hostile realtime gateway cannot break the session with garbage', async () => {
    const { peer, reply } = await openAndSend();
    for (const garbage of ['', 'null', '[]', '7', '{', '{"type":5}', '{"type":{}}', '[['.repeat(100_000), '{"a":1.5'])
      peer.socket.send(garbage);
    peer.socket.send(Buffer.from([0xff, 0xfe, 0x00]));
    peer.send({ type: 'error' }, { type: 'error', error: null }, { type: '__proto__' });
    peer.socket.send('{"type":"response.created","response":{"id":"resp_1","__proto__":{"status":"failed"}}}');
    peer.socket.send(Buffer.from(JSON.stringify(frames.text('Bytes are read as well'))));
    peer.send(frames.done());
    const outcome = await reply.then(collectEvents, (error: unknown) => error);
    // An error event without a message still counts as an error, and here it was sent before the response.
    expect(outcome).toMatchObject({ kind: 'unavailable', mayHaveTakenEffect: true });
  });

  it('A hostile realtime gateway cannot break a response with binary frames and truncated events', async () => {
    const { peer, reply } = await openAndSend();
    peer.send(frames.created);
    peer.socket.send('{"type":"response.output_text.delta","del');
    peer.socket.send(Buffer.from([0xff, 0xfe, 0x00]));
    peer.socket.send(Buffer.from(JSON.stringify(frames.text('Bytes are read as well'))));
    peer.send({ type: 'conversation.item.input_audio_transcription.failed' }, frames.done());
    expect(endOf(await collectEvents(await reply))).toMatchObject({ end: 'completed', text: 'Bytes are read as well' });
  });

  it('A hostile realtime gateway is disconnected after an oversized message', async () => {
    const { peer, reply } = await openAndSend();
    peer.send(frames.created, frames.text('Some'));
    peer.socket.send(`"${'x'.repeat(17 * 2 ** 20)}"`);
    expect(endOf(await collectEvents(await reply))).toMatchObject({ end: 'cut', text: 'Some' });
    await peer.closed;
  });

  it('A hostile realtime gateway is disconnected after a text frame that is not valid UTF-8', async () => {
    const { peer, reply } = await openAndSend();
    peer.send(frames.created);
    peer.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(endOf(await collectEvents(await reply)).end).toBe('cut');
    await peer.closed;
  });

  it('A hostile realtime gateway cannot fill the memory: events without a reader are dropped', async () => {
    const { peer, reply, session } = await openAndSend();
    peer.send(frames.created, { type: 'conversation.item.input_audio_transcription.failed' }, frames.done());
    await collectEvents(await reply);
    for (let count = 0; count < 2_000; count++) peer.send(framesFor('ga', `resp_${count}`).text('x'.repeat(1_000)));
    const secondAnswer = session.say({ text: 'Still there?' });
    await peer.waitFor('response.create');
    peer.send(framesFor('ga', 'resp_mine').created, framesFor('ga', 'resp_mine').done());
    expect(endOf(await collectEvents(await secondAnswer)).end).toBe('completed');
  });

  it('A hostile realtime gateway cannot crash the client with any event, and every response ends once', async () => {
    const arbitraryValue = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('resp_1', 'item_a', 'call_1', 'AAE=', 0, 1),
    );
    const fields = ['response_id', 'item_id', 'content_index', 'output_index', 'delta', 'text', 'transcript'] as const;
    const otherFields = [
      'call_id',
      'name',
      'arguments',
      'item',
      'part',
      'response',
      'error',
      'event_id',
      'usage',
    ] as const;
    const types = dialects.flatMap((dialect) => {
      const { text, textDone, transcript, transcriptDone, audioDone, item } = framesFor(dialect);
      return [text(''), textDone(''), transcript(''), transcriptDone(''), audioDone, item('')].map(({ type }) => type);
    });
    const otherTypes = [
      'response.output_audio.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.added',
      'response.content_part.done',
      'conversation.item.input_audio_transcription.delta',
      'conversation.item.input_audio_transcription.completed',
      'input_audio_buffer.committed',
      'error',
      'session.updated',
      'response.cancelled',
    ];
    const event = fc.record(
      {
        type: fc.constantFrom(...types, ...otherTypes),
        ...Object.fromEntries([...fields, ...otherFields].map((name) => [name, arbitraryValue])),
      },
      { requiredKeys: ['type'] },
    );
    const { peer, reply, session } = await openAndSend();
    peer.send(frames.created, { type: 'conversation.item.input_audio_transcription.failed' }, frames.done());
    await collectEvents(await reply);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
        const ownFrames = framesFor('ga', `resp_fuzz_${++count}`);
        const nextAnswer = session.say({ text: 'Go on' });
        await peer.waitFor('response.create');
        peer.send(ownFrames.created, ...events, ownFrames.done());
        expect(endOf(await collectEvents(await nextAnswer)).id).toBe(`resp_fuzz_${count}`);
      }),
      { numRuns: 60 },
    );
  });
});
