import { describe, expect, it } from 'vitest';
import { describeAudio, loudnessOf } from '../../../../sandbox/gateway/realtime/describe-sound.ts';
import { dialects } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { bytesOf } from '../../../../sandbox/gateway/realtime/input-buffer.ts';
import { synthesizeSpeech, voices } from '../../../../sandbox/gateway/realtime/voice.ts';
import { PCM_RATE, type Pcm } from '../../../../src/lib/pcm.ts';
import type { Json } from '../bench.ts';
import { settings, startRealtimeGateway } from './test-client.ts';

const tone = (hertz: number, seconds: number, amplitude = 0.3): Pcm =>
  Int16Array.from({ length: seconds * PCM_RATE }, (_, index) =>
    Math.round(Math.sin((2 * Math.PI * hertz * index) / PCM_RATE) * amplitude * 32_767),
  );
const appendEvent = (bytes: Buffer) => ({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') });
const transcriber = 'parley-transcribe-1';

describe('The analysis of audio', () => {
  it('Audio is described by its length, loudness and pitch', () => {
    expect(describeAudio(tone(440, 2.4))).toBe('a clear sound of 2.4 seconds, at about 440 hertz');
    expect(describeAudio(tone(200, 0.5, 0.02))).toBe('a quiet sound of 0.5 seconds, at about 200 hertz');
    expect(describeAudio(tone(800, 1, 0.9))).toBe('a loud sound of 1.0 seconds, at about 800 hertz');
    expect(describeAudio(new Int16Array(PCM_RATE))).toBe('a silence of 1.0 seconds');
  });

  it('Most voices differ in pitch, and each is loud enough to be heard', () => {
    const descriptions = voices.map((voice) => describeAudio(synthesizeSpeech('Hello there, my friend.', voice)));
    expect(new Set(descriptions).size).toBeGreaterThanOrEqual(voices.length - 2);
    for (const voice of voices)
      expect(loudnessOf(synthesizeSpeech('Hello there, my friend.', voice))).toBeGreaterThan(0.05);
  });
});

describe.each(dialects)('Audio input in the %s dialect', (dialect) => {
  it('Audio is analyzed once it is committed, however it was split into chunks, and transcribed on request', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    send(settings(dialect, { transcriber }));
    const bytes = bytesOf(tone(440, 2));
    // Some chunks end in the middle of a sample.
    for (let offset = 0; offset < bytes.length; offset += 33_333)
      send(appendEvent(bytes.subarray(offset, offset + 33_333)));
    send({ type: 'input_audio_buffer.commit' });
    const { item_id } = await waitFor('input_audio_buffer.committed');
    const { item } = await waitFor(dialect === 'ga' ? 'conversation.item.done' : 'conversation.item.created');
    expect(item).toMatchObject({ id: item_id, role: 'user', content: [{ type: 'input_audio', transcript: null }] });
    send({ type: 'response.create' });
    const { transcript } = await waitFor('conversation.item.input_audio_transcription.completed');
    expect(transcript).toBe('a clear sound of 2.0 seconds, at about 440 hertz');
    const deltas = events.filter(({ type }) => type === 'conversation.item.input_audio_transcription.delta');
    expect(deltas.map(({ delta }: Json) => delta).join('')).toBe(transcript);
    const { response } = await waitFor('response.done');
    expect(response.output[0].content[0].text).toContain(`You said: “${transcript}”.`);
    expect(response.usage.input_token_details).toMatchObject({ audio_tokens: 20, cached_tokens: 0 });
    send({ type: 'conversation.item.retrieve', item_id });
    expect((await waitFor('conversation.item.retrieved')).item.content[0].transcript).toBe(transcript);
    send({ type: 'response.create' });
    const { usage } = (await waitFor('response.done')).response;
    expect(usage.input_token_details).toMatchObject({ cached_tokens_details: { audio_tokens: 20 } });
  });

  it('Audio is not transcribed without a request, or by a model that cannot transcribe', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    send(settings(dialect, { transcriber: 'quill-5' }));
    const { error } = await waitFor('error');
    expect(error.message).toContain(`Supported values are: '${transcriber}'.`);
    expect(error.param).toMatch(/^session\..*transcription\.model$/);
    send(settings(dialect));
    send(appendEvent(bytesOf(tone(300, 1))));
    send({ type: 'input_audio_buffer.commit' });
    send({ type: 'response.create' });
    await waitFor('response.done');
    expect(events.some(({ type }) => type.includes('transcription'))).toBe(false);
  });

  it('Missing, invalid or overlong audio is refused', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor, closed } = await connect();
    send(settings(dialect));
    const errorCodeFor = async (event: object) => {
      send(event);
      return (await waitFor('error')).error.code;
    };
    expect(await errorCodeFor({ type: 'input_audio_buffer.commit' })).toBe('input_audio_buffer_commit_empty');
    send(appendEvent(bytesOf(tone(300, 1))));
    send({ type: 'input_audio_buffer.clear' });
    expect(await errorCodeFor({ type: 'input_audio_buffer.commit' })).toBe('input_audio_buffer_commit_empty');
    expect(await errorCodeFor({ type: 'input_audio_buffer.append', audio: 'no base64!' })).toBe('invalid_value');
    expect(await errorCodeFor({ type: 'input_audio_buffer.append' })).toBe('missing_required_parameter');
    const largeChunk = Buffer.alloc(11 * 1024 * 1024);
    send(appendEvent(largeChunk));
    send(appendEvent(largeChunk));
    expect(await errorCodeFor(appendEvent(largeChunk))).toBe('invalid_value');
    expect(await errorCodeFor({ type: 'input_audio_buffer.append', audio: 'A'.repeat(15 * 1024 * 1024 + 4) })).toBe(
      'invalid_value',
    );
    send({ type: 'input_audio_buffer.append', audio: 'A'.repeat(21 * 1024 * 1024) });
    expect(await closed).toBe(1009);
  });

  it('Audio can be sent as a content part of an item', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor } = await connect();
    send(settings(dialect));
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_audio', audio: bytesOf(tone(500, 1)).toString('base64') },
    ];
    send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    send({ type: 'response.create' });
    const { response } = await waitFor('response.done');
    expect(response.output[0].content[0].text).toContain(
      'You said: “What is this? a clear sound of 1.0 seconds, at about 500 hertz”.',
    );
  });

  it('With turn detection, audio gets a response automatically and interrupts a running response', async () => {
    const { connect } = await startRealtimeGateway(dialect);
    const { send, waitFor, events } = await connect();
    const silence = Buffer.alloc(PCM_RATE);
    send(appendEvent(Buffer.concat([silence, bytesOf(tone(440, 1)), silence])));
    expect((await waitFor('input_audio_buffer.speech_started')).audio_start_ms).toBe(500);
    expect((await waitFor('input_audio_buffer.speech_stopped')).audio_end_ms).toBe(1_700);
    await waitFor('input_audio_buffer.committed');
    await waitFor('response.created');
    send(appendEvent(bytesOf(tone(300, 1))));
    await waitFor('input_audio_buffer.speech_started');
    expect((await waitFor('response.done')).response.status_details).toEqual({
      type: 'cancelled',
      reason: 'turn_detected',
    });
    send(appendEvent(silence));
    const { response } = await waitFor('response.done');
    expect(response.status).toBe('completed');
    expect(events.filter(({ type }) => type === 'input_audio_buffer.committed')).toHaveLength(2);
  });
});
