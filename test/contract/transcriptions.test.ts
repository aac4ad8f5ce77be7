import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { wavOf } from '../../src/lib/pcm.ts';
import { failureOf, lastRequest, openFixture, profiles, responseOf } from './both.ts';

const path = '/v1/audio/transcriptions';
const model = 'parley-transcribe-1';
const wav = wavOf(new Int16Array(36_000));

describe.each(profiles)('Transcriptions of a %s gateway', (profile) => {
  it('A recording is sent as a form and comes back as text', async () => {
    const fixture = await openFixture({ profile });
    expect(await fixture.gateway.transcriptions.create({ model, wav })).toBe('A recording of 2 seconds.');
    expect(lastRequest(fixture, path).body).toMatchObject({
      file: expect.stringMatching(/^data:audio\/wav;base64,UklGR/),
      model,
      response_format: 'json',
    });
  });

  it('A transcription by a model of another kind, or of a file that is not audio, is definitely refused', async () => {
    const { gateway } = await openFixture({ profile });
    for (const request of [
      { model: 'quill-5', wav },
      { model: 'unknown', wav },
      { model, wav: Buffer.from('words') },
    ])
      expect((await failureOf(gateway.transcriptions.create(request))).mayHaveTakenEffect).toBe(false);
    expect(await failureOf(gateway.transcriptions.create({ model: '', wav }))).toMatchObject({ code: 'bad_input' });
  });

  it('A missing endpoint is reported as not offered, and a lost response has an unknown outcome', async () => {
    const { gateway, embedded } = await openFixture({ profile });
    embedded.faults.add({ on: { path }, do: { type: 'status', status: 404 } });
    expect((await failureOf(gateway.transcriptions.create({ model, wav }))).kind).toBe('not-offered');
    embedded.faults.add({ on: { path }, do: 'reset' });
    expect((await failureOf(gateway.transcriptions.create({ model, wav }))).mayHaveTakenEffect).toBe(true);
    embedded.faults.add({ on: { path }, do: { type: 'body', body: { words: 'none' } } });
    expect(await failureOf(gateway.transcriptions.create({ model, wav }))).toMatchObject({
      kind: 'malformed',
      mayHaveTakenEffect: true,
    });
  });

  it('Audio in a question is processed by a model that supports it, and refused by other models and in other formats', async () => {
    const { gateway } = await openFixture({ profile });
    const ogg = await readFile(new URL('../services/media/sound/files/mono.ogg', import.meta.url));
    const respondTo = (id: string, bytes: Buffer) =>
      responseOf(gateway, {
        model: id,
        input: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'what is this?' },
              { type: 'audio', data: bytes.toString('base64'), format: 'wav' },
            ],
          },
        ],
      });
    expect((await respondTo('quill-5-audio', wav)).text).toContain('You sent a recording.');
    const expected = { kind: 'invalid', code: 'invalid_value', mayHaveTakenEffect: false };
    expect(await failureOf(respondTo('quill-5', wav))).toMatchObject({
      ...expected,
      ...(profile === 'stock' && { param: 'input[0].content[1].type' }),
    });
    expect(await failureOf(respondTo('quill-5-audio', ogg))).toMatchObject(expected);
  });
});
