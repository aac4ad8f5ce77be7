import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { FixtureOptions } from '../bot.ts';
import { labels, says } from '../quick.ts';
import { errorsIn } from './fixture.ts';
import { TEST_IMAGE_MODEL as IMAGE_MODEL, imageUpload, orderImage, urlContaining } from './image-fixture.ts';
import { receivedOrders, startLocalBot, TEST_VIDEO_MODEL } from './video-fixture.ts';

const MENU = 'Make a video';
const BUTTON = 'Make a video';

describe('A video from a message', () => {
  const start = (options: FixtureOptions = {}) =>
    startLocalBot({
      ...options,
      settings: { DEFAULT_IMAGE_MODEL: IMAGE_MODEL, ...options.settings },
    });

  it('A video can be ordered from the menu of any message, with its image and the default model filled in', async () => {
    const fixture = await start();
    const member = fixture.discord.as('member');
    const source = await fixture.discord
      .as('other')
      .say('look', [await imageUpload(), { name: 'a.txt', bytes: Buffer.from('x') }]);
    const form = await (await member.menu(MENU, source)).modal();
    expect(form.title).toBe('Generate a video from this image');
    expect(JSON.stringify(form.components)).toContain(`"value":"${TEST_VIDEO_MODEL}"`);
    const submission = await member.fill(form, { words: 'the fox runs', duration: '1', size: '160x96' });
    const message = await submission.message(says('Finished in'));
    expect(message.ephemeral).toBe(false);
    expect(message.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
    expect(text(message)).toContain(
      `**the fox runs** · <@${member.user.id}>\n-# Model: ${TEST_VIDEO_MODEL} · Size: 160x96 · 1 sec`,
    );
    const body = {
      model: TEST_VIDEO_MODEL,
      prompt: 'the fox runs',
      size: '160x96',
      duration: 1,
      image: urlContaining('fox.png?ex='),
    };
    expect(receivedOrders(fixture.gateway).map((one) => one.body)).toEqual([body]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('Everyone who sees a result can order a video from it, and the video’s message links to the result', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start();
    const parent = await orderImage(fixture);
    expect(labels(parent)).toContain(BUTTON);
    const other = fixture.discord.as('other');
    const form = await (await other.click(parent, BUTTON)).modal();
    const message = await (await other.fill(form, { words: 'it runs', model: 'reel-2-pro' })).message(
      says('Finished in'),
    );
    expect(text(message)).toContain(parent.id);
    expect(text(message)).toContain(other.user.id);
    const body = {
      model: 'reel-2-pro',
      prompt: 'it runs',
      image: urlContaining(`${parent.attachments[0]?.filename}?ex=`),
    };
    expect(receivedOrders(fixture.gateway).map((one) => one.body)).toEqual([body]);
  });

  it('A video from a private result is private', { tags: ['breadth'] }, async () => {
    const fixture = await start();
    const member = fixture.discord.as('member');
    const form = await (await member.click(await orderImage(fixture, { private: true }), BUTTON)).modal();
    const message = await (await member.fill(form, { words: 'it runs' })).message(says('Finished in'));
    expect(message.ephemeral).toBe(true);
  });
});

describe('The refusals of a video from a message', () => {
  it('A video is refused from a message without an image, and in a channel where the bot is not allowed to post', async () => {
    const fixture = await startLocalBot();
    const member = fixture.discord.as('member');
    const textMessage = await member.say('look', [{ name: 'notes.txt', bytes: Buffer.from('x') }]);
    const refused = await member.menu(MENU, textMessage);
    expect(await refused.acknowledged()).toMatchObject({ type: 4, ephemeral: true });
    expect(text(await refused.message())).toContain('This message has no image.');
    const adminRoom = fixture.discord.as('admin').in('admin-room');
    const source = await adminRoom.say('look', [await imageUpload()]);
    expect(text(await (await adminRoom.menu(MENU, source)).message())).toContain('these permissions: `View Channel`');
    expect(receivedOrders(fixture.gateway)).toEqual([]);
  });

  it('Invalid values in the form for a video are refused, and nothing is submitted', async () => {
    const fixture = await startLocalBot();
    const member = fixture.discord.as('member');
    const source = await member.say('look', [await imageUpload()]);
    for (const [values, words] of [
      [{ words: ' \u200b' }, 'The prompt is empty'],
      [{ words: 'x', size: 'huge' }, '`huge` is not a valid size'],
      [{ words: 'x', duration: 'long' }, '`long` is not a valid duration'],
    ] as const) {
      const form = await (await member.menu(MENU, source)).modal();
      expect(text(await (await member.fill(form, values)).message())).toContain(words);
    }
    expect(receivedOrders(fixture.gateway)).toEqual([]);
  });

  it('A refused form opens again with what its member had entered, for that member only, and its result is as public as it would have been', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startLocalBot();
    const member = fixture.discord.as('member');
    const source = await fixture.discord
      .as('other')
      .say('look', [await imageUpload('one.png'), await imageUpload('two.png')]);
    const form = await (await member.menu(MENU, source)).modal();
    const entered = { words: 'it runs', which: ['2'], duration: 'abc', size: '16:9' };
    const refusal = await (await member.fill(form, entered)).message();
    expect(refusal.ephemeral).toBe(true);
    const again = await (await member.click(refusal, 'Correct it')).modal();
    const secondRefusal = await (await member.fill(again, {})).message();
    expect(text(secondRefusal)).toContain('`abc` is not a valid duration');
    const corrected = await (await member.click(secondRefusal, 'Correct it')).modal();
    const result = await (await member.fill(corrected, { duration: '5' })).message(says('Finished in'));
    expect(result.ephemeral).toBe(false);
    expect(receivedOrders(fixture.gateway).map((one) => one.body)).toMatchObject([
      { prompt: 'it runs', image: urlContaining('two.png') },
    ]);
  });
});
