import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { FileInput } from '../../../sandbox/discord/uploads.ts';
import { type FastClockFixture, labels, startFastClockBot } from '../quick.ts';
import { errorsIn } from '../tasks/fixture.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

type ReceivedInput = { role: string; content: string | { type: string; text?: string; image_url?: string }[] }[];

const receivedInput = ({ gateway }: FastClockFixture, index = -1): ReceivedInput =>
  modelRequests(gateway).at(index)?.input as ReceivedInput;

const partTypes = (fixture: FastClockFixture, turn: number): string[] => {
  const content = receivedInput(fixture)[turn]?.content ?? [];
  return typeof content === 'string' ? ['plain text'] : content.map(({ type }) => type);
};

const imageFile = async (name = 'blue.png', size = 8): Promise<FileInput> => ({
  name,
  contentType: 'image/png',
  bytes: await sharp({ create: { width: size, height: size, channels: 3, background: '#369' } })
    .png()
    .toBuffer(),
});
const notes: FileInput = { name: 'notes.txt', bytes: Buffer.from('The fox sleeps.') };

const ask = async (
  { discord }: FastClockFixture,
  options: Record<string, string | boolean | FileInput>,
  who = 'member',
) => (await discord.as(who).slash('ask', options)).message(hasEnded);

async function detailsOf(fixture: FastClockFixture, message: Awaited<ReturnType<typeof ask>>): Promise<string> {
  const details = await (await fixture.discord.as('member').click(message, 'Show details')).message();
  return JSON.stringify(details.components);
}

const HOUR = 3_600_000;

describe('The files of earlier questions', () => {
  const openFixture = () =>
    startFastClockBot({
      settings: models,
      gateway: { speed: 20 },
      discord: { limits: { attachmentLinkMs: HOUR } },
    });

  it('The files of an earlier question are sent again as part of that question', async () => {
    const fixture = await openFixture();
    await ask(fixture, { prompt: 'what is this?', image: await imageFile(), file: notes });
    const second = await ask(fixture, { prompt: 'and why?' });
    expect(partTypes(fixture, 0)).toEqual(['input_text', 'input_text', 'input_image']);
    expect(JSON.stringify(receivedInput(fixture)[0])).toContain('notes.txt:\\n\\nThe fox sleeps.');
    expect(partTypes(fixture, 2)).toEqual(['plain text']);
    expect(await detailsOf(fixture, second)).not.toContain('Not sent again');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('The files of an earlier question get fresh URLs from Discord once theirs have expired', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await openFixture();
    const { discord, clock } = fixture;
    await ask(fixture, { prompt: 'what is this?', image: await imageFile() });
    clock.advance(2 * HOUR);
    await ask(fixture, { prompt: 'and why?' });
    expect(discord.requests.filter(({ path }) => path === '/attachments/refresh-urls')).toHaveLength(1);
    expect(partTypes(fixture, 0)).toEqual(['input_text', 'input_image']);
  });

  it('A file that Discord no longer has is left out, and both the model and the details mention that', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await openFixture();
    const { discord, clock, gateway } = fixture;
    await ask(fixture, { prompt: 'what is this?', image: await imageFile('a *red* [fox].png') });
    clock.advance(2 * HOUR);
    discord.faults.add({ on: { route: '/attachments/refresh-urls' }, do: { type: 'status', status: 404 } });
    const second = await ask(fixture, { prompt: 'and why?' });
    expect(text(second)).toContain(latestAnswer(gateway));
    expect(receivedInput(fixture)[0]?.content).toEqual([
      { type: 'input_text', text: 'what is this?' },
      { type: 'input_text', text: '[1 file of this message is no longer attached: a_red_fox_.png]' },
    ]);
    expect(await detailsOf(fixture, second)).toContain('(no longer available)');
  });

  it('A model that refuses files from earlier questions answers without them, and the refusal is remembered', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await openFixture();
    const { gateway } = fixture;
    await ask(fixture, { prompt: 'what is this?', image: await imageFile() });
    const error = {
      message: 'No images.',
      type: 'invalid_request_error',
      code: 'invalid_value',
      param: 'input[0].content[1]',
    };
    gateway.faults.add({ on: { path: '/v1/responses' }, do: { type: 'body', body: { error }, status: 400 }, times: 1 });
    const second = await ask(fixture, { prompt: 'and why?' });
    expect(text(second)).toContain(latestAnswer(gateway));
    expect(text(second)).toContain('did not accept files from earlier questions');
    expect(await detailsOf(fixture, second)).toContain('blue.png (not supported by the model)');
    const requestsBefore = modelRequests(gateway).length;
    await ask(fixture, { prompt: 'and now?' });
    expect(modelRequests(gateway)).toHaveLength(requestsBefore + 1);
    expect(JSON.stringify(receivedInput(fixture))).not.toContain('input_image');
  });

  it('A request that is too large because of files from earlier questions is sent without them, and that is not remembered', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await openFixture();
    const { gateway } = fixture;
    await ask(fixture, { prompt: 'what is this?', image: await imageFile() });
    const error = { message: 'Too much.', type: 'invalid_request_error', code: 'context_length_exceeded' };
    gateway.faults.add({ on: { path: '/v1/responses' }, do: { type: 'body', body: { error }, status: 400 }, times: 1 });
    const second = await ask(fixture, { prompt: 'and why?' });
    expect(await detailsOf(fixture, second)).toContain('blue.png (too large)');
    expect(modelRequests(gateway).at(-1)).toHaveProperty('tools');
    await ask(fixture, { prompt: 'and now?' });
    expect(partTypes(fixture, 0)).toEqual(['input_text', 'input_image']);
  });

  it('A file from a private question is not sent with a public one, not even its name', async () => {
    const fixture = await openFixture();
    const { discord } = fixture;
    const member = discord.as('member');
    const privateAnswer = await ask(fixture, {
      prompt: 'what is this?',
      image: await imageFile('secret.png'),
      private: true,
    });
    expect(labels(privateAnswer)).toContain('Continue');
    const form = await (await member.click(privateAnswer, 'Continue')).modal();
    const next = await (await member.fill(form, { 'Your next question': 'and why?' })).message(hasEnded);
    expect(next.ephemeral).toBe(true);
    expect(partTypes(fixture, 0)).toEqual(['input_text', 'input_image']);
    await ask(fixture, { prompt: 'snow?' });
    expect(JSON.stringify(receivedInput(fixture))).not.toMatch(/secret|input_image/);
  });
});
