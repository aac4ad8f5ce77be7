import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { FileInput } from '../../../sandbox/discord/uploads.ts';
import { GATEWAY_API_KEY } from '../bot.ts';
import { type FastClockFixture, startFastClockBot } from '../quick.ts';
import { errorsIn } from '../tasks/fixture.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

const recording = async (): Promise<FileInput> => ({
  name: 'voice.ogg',
  contentType: 'audio/ogg',
  bytes: await readFile(new URL('../../services/media/sound/files/mono.ogg', import.meta.url)),
});

const ask = async ({ discord }: FastClockFixture, options: Record<string, string | boolean | FileInput>) =>
  (await discord.as('member').slash('ask', options)).message();

const askAndWait = async ({ discord }: FastClockFixture, options: Record<string, string | boolean | FileInput>) =>
  (await discord.as('member').slash('ask', options)).message(hasEnded);

interface Part {
  type: string;
  text?: string;
  input_audio?: { data: string; format: string };
}

const partsOf = ({ gateway }: FastClockFixture, turn: number, askIndex = -1): Part[] => {
  const input = modelRequests(gateway).at(askIndex)?.input as { content: string | Part[] }[] | undefined;
  const { content } = input?.[turn] ?? { content: [] };
  return typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
};

const transcriptions = ({ gateway }: FastClockFixture) =>
  gateway.requests.filter(({ path }) => path.endsWith('/transcriptions'));

async function detailsOf(fixture: FastClockFixture, message: Awaited<ReturnType<typeof ask>>): Promise<string> {
  const details = await (await fixture.discord.as('other').click(message, 'Show details')).message();
  return JSON.stringify(details.components);
}

const audioModelSettings = { ...models, DEFAULT_TEXT_MODEL: 'quill-5-audio' };

describe('Audio in a question', () => {
  const startFixture = (settings: Record<string, string> = models, listedModels?: string[]) =>
    startFastClockBot({
      settings,
      gateway: { speed: 20, ...(listedModels && { keys: [{ key: GATEWAY_API_KEY, models: listedModels }] }) },
    });

  it('A model that supports audio receives it, and again with the next question', async () => {
    const fixture = await startFixture(audioModelSettings);
    const first = await askAndWait(fixture, { prompt: 'what is this?', file: await recording() });
    expect(text(first)).toContain('You sent a recording.');
    const [textPart, audio] = partsOf(fixture, 0);
    expect(textPart).toEqual({ type: 'input_text', text: 'what is this?' });
    expect(audio).toEqual({ type: 'input_audio', input_audio: { format: 'wav', data: expect.any(String) } });
    expect(Buffer.from(audio?.input_audio?.data ?? '', 'base64').toString('latin1', 0, 4)).toBe('RIFF');
    await askAndWait(fixture, { prompt: 'and why?' });
    expect(partsOf(fixture, 0).map(({ type }) => type)).toEqual(['input_text', 'input_audio']);
    expect(transcriptions(fixture)).toHaveLength(0);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A model that does not support audio receives a transcript, which the details show and the next question repeats', async () => {
    const fixture = await startFixture();
    const first = await askAndWait(fixture, { prompt: 'what is this?', file: await recording() });
    expect(partsOf(fixture, 0)[1]?.text).toMatch(/^\[Transcript of voice\.ogg\]: A recording of \d seconds?\.$/);
    expect(text(first)).toContain('does not support audio');
    expect(text(first)).toContain(latestAnswer(fixture.gateway));
    expect(await detailsOf(fixture, first)).toMatch(/Transcript of voice\.ogg: A recording of \d second/);
    expect(fixture.logged()).not.toContain('A recording of');
    const second = await askAndWait(fixture, { prompt: 'and why?' });
    expect(partsOf(fixture, 0)[1]?.text).toContain('[Transcript of voice.ogg]');
    expect(text(second)).not.toContain('does not support audio');
    expect(transcriptions(fixture)).toHaveLength(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A model that refuses audio gets a transcript instead, and the refusal is remembered', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture(audioModelSettings);
    const { gateway } = fixture;
    const error = {
      message: 'No audio.',
      type: 'invalid_request_error',
      code: 'invalid_value',
      param: 'input[0].content[1].type',
    };
    gateway.faults.add({ on: { path: '/v1/responses' }, do: { type: 'body', body: { error }, status: 400 }, times: 1 });
    const first = await askAndWait(fixture, { prompt: 'what is this?', file: await recording() });
    expect(text(first)).toContain('does not support audio');
    expect(partsOf(fixture, 0)[1]?.text).toContain('[Transcript of voice.ogg]');
    await askAndWait(fixture, { prompt: 'and that?', file: await recording(), new: true });
    expect(modelRequests(gateway)).toHaveLength(3);
    expect(partsOf(fixture, 0)[1]?.text).toContain('[Transcript of voice.ogg]');
  });

  it('Audio is refused privately if the gateway has no model that transcribes it', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture(models, ['quill-5']);
    const refusal = await ask(fixture, { prompt: 'what is this?', file: await recording() });
    expect(text(refusal)).toMatch(/`quill-5` does not support audio, and .* can transcribe `voice\.ogg`/);
    expect(refusal.ephemeral).toBe(true);
    expect(modelRequests(fixture.gateway)).toHaveLength(0);
    expect(text(await (await fixture.discord.as('member').slash('about')).message())).toContain('Tasks in progress: 0');
  });

  it('Audio is refused if the gateway lists a transcription model but has no transcription endpoint', async () => {
    const fixture = await startFixture();
    fixture.gateway.faults.add({ on: { path: '/v1/audio/transcriptions' }, do: { type: 'status', status: 404 } });
    expect(text(await ask(fixture, { prompt: 'what is this?', file: await recording() }))).toContain(
      'does not support audio',
    );
    expect(modelRequests(fixture.gateway)).toHaveLength(0);
  });

  it('A transcription with an unknown outcome is not repeated automatically', async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    gateway.faults.add({ on: { path: '/v1/audio/transcriptions' }, do: 'reset' });
    const exchange = await discord.as('member').slash('ask', { prompt: 'what is this?', file: await recording() });
    const unconfirmed = await exchange.message((message) => JSON.stringify(message.components).includes('Dismiss'));
    expect(transcriptions(fixture).length).toBeLessThanOrEqual(1);
    const second = await discord.as('member').click(unconfirmed, 'Try again (may be charged twice)');
    expect(text(await second.message(hasEnded))).toContain(latestAnswer(gateway));
    expect(modelRequests(gateway)).toHaveLength(1);
  });

  it('A file that claims to be audio but is not is refused', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture(audioModelSettings);
    const fakeAudio = { name: 'odd.mp3', contentType: 'audio/mpeg', bytes: Buffer.from('words') };
    const refusal = await ask(fixture, { prompt: 'what is this?', file: fakeAudio });
    expect(text(refusal)).toContain('audio format is not supported');
    expect(modelRequests(fixture.gateway)).toHaveLength(0);
  });

  it('The form for the next question accepts audio', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture(audioModelSettings);
    const member = fixture.discord.as('member');
    const first = await askAndWait(fixture, { prompt: 'snow?' });
    const openForm = async () => (await member.click(first, 'Continue')).modal();
    const unreadable = { name: 'voice.m4a', bytes: Buffer.from('words') };
    const values = { 'Your next question': 'and this?', 'Image or file': [unreadable] };
    const refused = await member.fill(await openForm(), values);
    expect(text(await refused.message())).toContain('audio format is not supported');
    const form = await openForm();
    const files = [await recording()];
    await (await member.fill(form, { 'Your next question': 'and this?', 'Image or file': files })).message(hasEnded);
    expect(partsOf(fixture, 2).map(({ type }) => type)).toEqual(['input_text', 'input_audio']);
  });
});
