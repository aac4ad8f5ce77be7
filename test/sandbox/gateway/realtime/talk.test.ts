import { describe, expect, it } from 'vitest';
import { dialects, namesIn } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { bytesOf } from '../../../../sandbox/gateway/realtime/input-buffer.ts';
import { speechOf } from '../../../../sandbox/gateway/realtime/voice.ts';
import { deltas, said, settings, stage } from './talker.ts';

describe.each(dialects)('a live session in the %s dialect', (dialect) => {
  const names = namesIn[dialect];

  it('answers in writing what was said, and tells what it took', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    const created = await until('session.created');
    expect(created.session).toMatchObject({ object: 'realtime.session', model: 'parley-realtime' });
    say(settings(dialect, { instructions: 'Be brief.' }));
    expect((await until('session.updated')).session.instructions).toBe('Be brief.');
    say(said('Tell me of foxes'));
    say({ type: 'response.create' });
    const { response } = await until('response.done');
    const text = deltas(events, dialect, 'text').join('');
    expect(text).toContain('You said: “Tell me of foxes”.');
    expect(text).toContain('I was told: “Be brief.”');
    expect(response).toMatchObject({ status: 'completed', status_details: null });
    expect(response.output[0].content).toEqual([{ type: names.text, text }]);
    const { usage } = response;
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
    expect(usage.output_token_details).toEqual({ text_tokens: usage.output_tokens, audio_tokens: 0 });
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  });

  it('speaks in the voice that was asked for, word by word with what it says', async () => {
    const { talker } = await stage(dialect);
    const { say, until, events } = await talker();
    say(settings(dialect, { speaks: true, voice: 'ash' }));
    say(said('Tell me of foxes'));
    say({ type: 'response.create' });
    const { response } = await until('response.done');
    const transcript = deltas(events, dialect, 'transcript').join('');
    const sound = Buffer.concat(deltas(events, dialect, 'audio').map((delta) => Buffer.from(delta, 'base64')));
    expect(sound.equals(bytesOf(speechOf(transcript, 'ash')))).toBe(true);
    expect(sound.equals(bytesOf(speechOf(transcript, 'marin')))).toBe(false);
    expect(response.output[0].content).toEqual([{ type: names.audio, transcript }]);
    expect(response.usage.output_token_details.audio_tokens).toBe(Math.ceil(sound.length / 2 / 24_000 / 0.05));
  });
});
