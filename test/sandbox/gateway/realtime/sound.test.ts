import { describe, expect, it } from 'vitest';
import { describeSound, loudnessOf } from '../../../../sandbox/gateway/realtime/describe-sound.ts';
import { dialects } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { bytesOf } from '../../../../sandbox/gateway/realtime/input-buffer.ts';
import { speechOf, voices } from '../../../../sandbox/gateway/realtime/voice.ts';
import { PCM_RATE, type Pcm } from '../../../../src/lib/pcm.ts';
import type { Json } from '../bench.ts';
import { settings, stage } from './test-client.ts';

const tone = (hertz: number, seconds: number, loud = 0.3): Pcm =>
  Int16Array.from({ length: seconds * PCM_RATE }, (_, at) =>
    Math.round(Math.sin((2 * Math.PI * hertz * at) / PCM_RATE) * loud * 32_767),
  );
const append = (bytes: Buffer) => ({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') });
const transcriber = 'parley-transcribe-1';

describe('The analysis of audio', () => {
  it('Audio is described by its length, loudness and pitch', () => {
    expect(describeSound(tone(440, 2.4))).toBe('a clear sound of 2.4 seconds, at about 440 hertz');
    expect(describeSound(tone(200, 0.5, 0.02))).toBe('a quiet sound of 0.5 seconds, at about 200 hertz');
    expect(describeSound(tone(800, 1, 0.9))).toBe('a loud sound of 1.0 seconds, at about 800 hertz');
    expect(describeSound(new Int16Array(PCM_RATE))).toBe('a silence of 1.0 seconds');
  });

  it('The voices differ in their pitch, and each is loud enough to be heard', () => {
    const descriptions = voices.map((voice) => describeSound(speechOf('Hello there, my friend.', voice)));
    expect(new Set(descriptions).size).toBeGreaterThanOrEqual(voices.length - 2);
    for (const voice of voices) expect(loudnessOf(speechOf('Hello there, my friend.', voice))).toBeGreaterThan(0.05);
  });
});

describe.each(dialects)('Audio input in the %s dialect', (dialect) => {
  it('Audio is analyzed after its commit, regardless of its chunks, and transcribed on request', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    say(settings(dialect, { transcriber }));
    const bytes = bytesOf(tone(440, 2));
    // The chunks also split samples.
    for (let at = 0; at < bytes.length; at += 33_333) say(append(bytes.subarray(at, at + 33_333)));
    say({ type: 'input_audio_buffer.commit' });
    const { item_id } = await until('input_audio_buffer.committed');
    const { item } = await until(dialect === 'ga' ? 'conversation.item.done' : 'conversation.item.created');
    expect(item).toMatchObject({ id: item_id, role: 'user', content: [{ type: 'input_audio', transcript: null }] });
    say({ type: 'response.create' });
    const { transcript } = await until('conversation.item.input_audio_transcription.completed');
    expect(transcript).toBe('a clear sound of 2.0 seconds, at about 440 hertz');
    const pieces = events.filter(({ type }) => type === 'conversation.item.input_audio_transcription.delta');
    expect(pieces.map(({ delta }: Json) => delta).join('')).toBe(transcript);
    const { response } = await until('response.done');
    expect(response.output[0].content[0].text).toContain(`You said: “${transcript}”.`);
    expect(response.usage.input_token_details).toMatchObject({ audio_tokens: 20, cached_tokens: 0 });
    say({ type: 'conversation.item.retrieve', item_id });
    expect((await until('conversation.item.retrieved')).item.content[0].transcript).toBe(transcript);
    say({ type: 'response.create' });
    const { usage } = (await until('response.done')).response;
    expect(usage.input_token_details).toMatchObject({ cached_tokens_details: { audio_tokens: 20 } });
  });

  it('Audio is not transcribed without a request, or by a model that cannot transcribe', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    say(settings(dialect, { transcriber: 'quill-5' }));
    const { error } = await until('error');
    expect(error.message).toContain(`Supported values are: '${transcriber}'.`);
    expect(error.param).toMatch(/^session\..*transcription\.model$/);
    say(settings(dialect));
    say(append(bytesOf(tone(300, 1))));
    say({ type: 'input_audio_buffer.commit' });
    say({ type: 'response.create' });
    await until('response.done');
    expect(events.some(({ type }) => type.includes('transcription'))).toBe(false);
  });

  it('Missing, invalid or overlong audio is refused', async () => {
    const { talker } = await stage(dialect);
    const { say, until, closed } = await talker();
    say(settings(dialect));
    const refused = async (event: object) => {
      say(event);
      return (await until('error')).error.code;
    };
    expect(await refused({ type: 'input_audio_buffer.commit' })).toBe('input_audio_buffer_commit_empty');
    say(append(bytesOf(tone(300, 1))));
    say({ type: 'input_audio_buffer.clear' });
    expect(await refused({ type: 'input_audio_buffer.commit' })).toBe('input_audio_buffer_commit_empty');
    expect(await refused({ type: 'input_audio_buffer.append', audio: 'no base64!' })).toBe('invalid_value');
    expect(await refused({ type: 'input_audio_buffer.append' })).toBe('missing_required_parameter');
    const much = Buffer.alloc(11 * 1024 * 1024);
    say(append(much));
    say(append(much));
    expect(await refused(append(much))).toBe('invalid_value');
    expect(await refused({ type: 'input_audio_buffer.append', audio: 'A'.repeat(15 * 1024 * 1024 + 4) })).toBe(
      'invalid_value',
    );
    say({ type: 'input_audio_buffer.append', audio: 'A'.repeat(21 * 1024 * 1024) });
    expect(await closed).toBe(1009);
  });

  it('Audio can be a part of an item', async () => {
    const { talker } = await stage(dialect);
    const { say, until } = await talker();
    say(settings(dialect));
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_audio', audio: bytesOf(tone(500, 1)).toString('base64') },
    ];
    say({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    say({ type: 'response.create' });
    const { response } = await until('response.done');
    expect(response.output[0].content[0].text).toContain(
      'You said: “What is this? a clear sound of 1.0 seconds, at about 500 hertz”.',
    );
  });

  it('With turn detection, audio is answered automatically and interrupts the response', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    const silence = Buffer.alloc(PCM_RATE);
    say(append(Buffer.concat([silence, bytesOf(tone(440, 1)), silence])));
    expect((await until('input_audio_buffer.speech_started')).audio_start_ms).toBe(500);
    expect((await until('input_audio_buffer.speech_stopped')).audio_end_ms).toBe(1_700);
    await until('input_audio_buffer.committed');
    await until('response.created');
    say(append(bytesOf(tone(300, 1))));
    await until('input_audio_buffer.speech_started');
    expect((await until('response.done')).response.status_details).toEqual({
      ...{ type: 'cancelled', reason: 'turn_detected' },
    });
    say(append(silence));
    const { response } = await until('response.done');
    expect(response.status).toBe('completed');
    expect(events.filter(({ type }) => type === 'input_audio_buffer.committed')).toHaveLength(2);
  });
});
