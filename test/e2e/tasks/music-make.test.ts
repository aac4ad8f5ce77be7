import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Fault } from '../../../sandbox/gateway/fault.ts';
import { itVariants } from '../../support/variants.ts';
import { startBot } from '../bot.ts';
import { describeProfiles } from '../profiles.ts';
import { createFastClockFixture, labels, messagesWith, says, startFastClockBot } from '../quick.ts';
import { bytesOf, errorsIn, orders, shortSongs } from './fixture.ts';

const notSupported = 'This gateway cannot generate songs';
const fastGateway = () => ({ speed: 60, studio: shortSongs() });

describeProfiles('/music make', (profile) => {
  it('/music make sends the given options and shows both tracks with covers, durations and lyrics', async () => {
    const fixture = await startFastClockBot({ gateway: { profile, ...fastGateway() } });
    const { discord, gateway } = fixture;
    const lyrics = 'Harbour lights are calling';
    const exchange = await discord
      .as('member')
      .slash('music make', { lyrics, style: 'folk, calm', title: 'Light', instrumental: false, model: 'chorale-4' });
    const message = await exchange.message(says('Finished in'));
    expect(orders(gateway)).toEqual([
      {
        path: '/music/submit/music',
        body: { prompt: lyrics, tags: 'folk, calm', title: 'Light', make_instrumental: false, mv: 'chorale-4' },
      },
    ]);
    expect(text(message)).toContain('**Light** · <@');
    expect(text(message).match(/🎵 \*\*Light\*\* · 0:20 · folk, calm/g)).toHaveLength(2);
    expect(text(message)).toContain(`> ${lyrics}`);
    expect(message.attachments.map(({ filename }) => filename)).toEqual([
      'light-1.wav',
      'light-2.wav',
      'light-cover1.png',
      'light-cover2.png',
    ]);
    expect((await bytesOf(message)).subarray(0, 4).toString()).toBe('RIFF');
    expect(message.attachments[0]?.description).toBe('AI-generated song: Light');
    expect(message.attachments[2]?.description).toBe('Cover of Light');
    expect(labels(message)).toEqual(['Run again', 'Edit prompt', 'Delete']);
    const form = await (await discord.as('member').click(message, 'Edit prompt')).modal();
    expect(JSON.stringify(form.components)).toContain('"label":"Lyrics"');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/music make does not send omitted options', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { profile, ...fastGateway() } });
    const exchange = await discord.as('member').slash('music make', { about: 'a lighthouse' });
    await exchange.message();
    expect(orders(gateway)).toEqual([
      { path: '/music/submit/music', body: { gpt_description_prompt: 'a lighthouse' } },
    ]);
  });

  it('/music make puts long lyrics into a file', { tags: ['breadth'] }, async () => {
    const { discord } = await startFastClockBot({ gateway: { profile, ...fastGateway() } });
    const lyrics = 'Harbour lights are calling. '.repeat(60).trim();
    const message = await (await discord.as('member').slash('music make', { lyrics })).message(says('Finished in'));
    expect(text(message)).toContain('The lyrics are in the attached file');
    const index = message.attachments.findIndex(({ filename }) => filename.endsWith('-lyrics.txt'));
    expect((await bytesOf(message, index)).toString()).toContain(lyrics);
  });

  it('/music make shows why a song failed, and a retry can use the same or another prompt', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway, clock } = await startFastClockBot({ gateway: { profile, ...fastGateway() } });
    const member = discord.as('member');
    gateway.faults.add({ do: { type: 'fail', reason: 'too loud' } });
    const failed = await (await member.slash('music make', { about: 'a storm', style: 'folk' })).message(
      says('This task failed'),
    );
    expect(text(failed)).toContain('too loud');
    expect(labels(failed)).toEqual(['Retry', 'Edit and retry', 'Delete']);
    // Waits until an identical request no longer counts as a duplicate.
    clock.advance(5_000);
    await (await member.click(failed, 'Retry')).message(says('Finished in'));
    const form = await (await member.click(failed, 'Edit and retry')).modal();
    await (await member.fill(form, { Prompt: 'a calm' })).message(says('Finished in'));
    expect(orders(gateway).map(({ body }) => body)).toEqual([
      { gpt_description_prompt: 'a storm', tags: 'folk' },
      { gpt_description_prompt: 'a storm', tags: 'folk' },
      { gpt_description_prompt: 'a calm', tags: 'folk' },
    ]);
  });

  it('After the gateway reported that it does not support music, /music make is refused for some minutes without a request to the gateway', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture({ gateway: { profile, ...fastGateway() } });
    const { discord, gateway, clock } = fixture;
    await startBot(fixture);
    const notFound: Fault = { type: 'status', status: 404, code: 'invalid_url', message: 'Invalid URL' };
    gateway.faults.add({ on: { path: '/music/submit' }, do: notFound, times: 2 });
    const makeSong = (who: string, about: string) => discord.as(who).slash('music make', { about });
    expect(text(await (await makeSong('member', 'a storm')).message())).toContain(notSupported);
    expect(text(await (await makeSong('other', 'a calm')).message())).toContain(notSupported);
    expect(orders(gateway)).toHaveLength(1);
    const usage = text(await (await discord.as('member').slash('usage')).message());
    expect(usage).toContain('You have no usage');
    expect(usage).not.toContain('has not finished');
    expect(text(await (await discord.as('member').slash('tasks')).message())).toContain('No tasks found. Use `/help`');
    clock.advance(10 * 60_000);
    expect(text(await (await makeSong('other', 'a calm')).message())).toContain(notSupported);
    expect(orders(gateway)).toHaveLength(2);
    clock.advance(10 * 60_000);
    await (await makeSong('other', 'a calm')).message(says('Finished in'));
  });
});

describe('/music make', () => {
  itVariants([302, 404, 405, 501])(
    'If the gateway responds with status %s and gives no reason, /music make tells the member and stays available to others',
    async (status) => {
      const { discord, gateway } = await startFastClockBot({ gateway: fastGateway() });
      const fault: Fault =
        status < 400
          ? { type: 'redirect', to: 'https://elsewhere.example/login', status }
          : { type: 'status', status, as: 'empty' };
      gateway.faults.add({ on: { path: '/music/submit' }, do: fault });
      const makeSong = (who: string) => discord.as(who).slash('music make', { about: 'a storm' });
      expect(text(await (await makeSong('member')).message())).toContain(notSupported);
      await (await makeSong('other')).message(says('Finished in'));
      expect(orders(gateway)).toHaveLength(2);
    },
  );

  it('/music make does not mistake other failures for missing support', async () => {
    const { discord, gateway } = await startFastClockBot();
    gateway.faults.add({ on: { path: '/music/submit' }, do: { type: 'status', status: 403 } });
    const makeSong = (about: string) => discord.as('member').slash('music make', { about });
    expect(text(await (await makeSong('a storm')).message())).not.toContain(notSupported);
    expect(text(await (await makeSong('a calm')).message())).not.toContain(notSupported);
    expect(orders(gateway)).toHaveLength(2);
  });

  it.each([
    [{}, 'The song request is empty'],
    [{ about: ' \u200b ', private: true }, 'The song request is empty'],
    [{ about: 'a storm', lyrics: 'la la' }, 'either `about` or `lyrics`'],
    [{ lyrics: 'la la', instrumental: true }, 'Remove `lyrics` or use `instrumental: False`'],
    [{ about: 'x'.repeat(3_001) }, 'The option `about` is `3001` characters long; the maximum is `3000`'],
    [{ about: 'a storm', title: 'x'.repeat(201) }, 'The option `title`'],
    [{ about: 'a storm', model: 'nobodys-model' }, '/music make a storm\nThe model `nobodys-model` does not exist'],
  ])(
    '/music make refuses invalid options with an explanation and without a request to the gateway (case %#)',
    async (options, words) => {
      const { discord, gateway } = await startFastClockBot();
      const message = await (await discord.as('member').slash('music make', options)).message();
      expect(text(message)).toContain(words);
      expect(orders(gateway)).toEqual([]);
    },
  );

  it('/music make suggests music models and uses the configured default model', async () => {
    const { discord, gateway } = await startFastClockBot({
      settings: { DEFAULT_MUSIC_MODEL: 'chorale-4' },
      gateway: fastGateway(),
    });
    const member = discord.as('member');
    const suggestedModels = async () =>
      (await member.complete('music make', { model: '' }, 'model')).map(({ value }) => value);
    // Suggestions do not wait for the list of models, so the first ones may lack it.
    await expect.poll(suggestedModels).toContain('chorale-4');
    expect(await suggestedModels()).not.toContain('lumen-image-1');
    await (await member.slash('music make', { about: 'a storm' })).message();
    expect(orders(gateway)[0]?.body).toEqual({ gpt_description_prompt: 'a storm', mv: 'chorale-4' });
  });

  it('A private song is visible only to its owner', async () => {
    const { discord } = await startFastClockBot({ gateway: fastGateway() });
    const message = await (
      await discord.as('member').slash('music make', { about: 'a secret', private: true })
    ).message(says('Finished in'));
    expect(message.ephemeral).toBe(true);
    expect(messagesWith(discord, 'studio', 'secret').every(({ ephemeral }) => ephemeral)).toBe(true);
  });

  it('/help lists the commands of /music as links', async () => {
    const { discord } = await startFastClockBot();
    expect(text(await (await discord.as('member').slash('help')).message())).toMatch(
      /<\/music make:\d+> · .*\n<\/music follow:\d+> · /,
    );
  });
});
