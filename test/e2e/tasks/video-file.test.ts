import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { profiles } from '../../contract/both.ts';
import type { StageOptions } from '../bot.ts';
import { labels, says } from '../quick.ts';
import { at, MODEL as IMAGE_MODEL, image, upload } from './image-scene.ts';
import { errorsIn } from './proof.ts';
import { here, MODEL, ordered } from './video-scene.ts';

const MENU = 'Make a video';
const BUTTON = 'Make a video';

describe.each(profiles)('a video of what a message shows, at a gateway of the %s profile', (profile) => {
  const stand = (options: StageOptions = {}) =>
    here({ ...options, gateway: { profile }, settings: { DEFAULT_IMAGE_MODEL: IMAGE_MODEL, ...options.settings } });

  it('A video of what a message shows, at a gateway of the profile is made from the menu on any message, beside it, with the image and the model filled in', async () => {
    const stage = await stand();
    const member = stage.discord.as('member');
    const shown = await stage.discord
      .as('other')
      .say('look', [await upload(), { name: 'a.txt', bytes: Buffer.from('x') }]);
    const form = await (await member.menu(MENU, shown)).modal();
    expect(form.title).toBe('Generate a video from this image');
    expect(JSON.stringify(form.components)).toContain(`"value":"${MODEL}"`);
    const filled = await member.fill(form, { words: 'the fox runs', duration: '1', size: '160x96' });
    const message = await filled.message(says('Finished in'));
    expect(message.ephemeral).toBe(false);
    expect(message.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
    expect(text(message)).toContain(`**the fox runs** · <@${member.user.id}>\n-# Model ${MODEL} · Size 160x96 · 1 s`);
    const body = { model: MODEL, prompt: 'the fox runs', size: '160x96', duration: 1, image: at('fox.png?ex=') };
    expect(ordered(stage.gateway).map((one) => one.body)).toEqual([body]);
    expect(errorsIn(stage)).toEqual([]);
  });

  it('A video of what a message shows, at a gateway of the profile is made of a result by anyone who sees it, and says of which one', async () => {
    const stage = await stand();
    const parent = await image(stage);
    expect(labels(parent)).toContain(BUTTON);
    const other = stage.discord.as('other');
    const form = await (await other.click(parent, BUTTON)).modal();
    const message = await (await other.fill(form, { words: 'it runs', model: 'reel-2-pro' })).message(
      says('Finished in'),
    );
    expect(text(message)).toContain(parent.id);
    expect(text(message)).toContain(other.user.id);
    const body = { model: 'reel-2-pro', prompt: 'it runs', image: at(`${parent.attachments[0]?.filename}?ex=`) };
    expect(ordered(stage.gateway).map((one) => one.body)).toEqual([body]);
  });

  it('A video of what a message shows, at a gateway of the profile is as private as the result it is made of', async () => {
    const stage = await stand();
    const member = stage.discord.as('member');
    const form = await (await member.click(await image(stage, { private: true }), BUTTON)).modal();
    const message = await (await member.fill(form, { words: 'it runs' })).message(says('Finished in'));
    expect(message.ephemeral).toBe(true);
  });
});

describe('what is refused of it', () => {
  it('What is refused of it is a message without an image, and a place where the bot may not answer', async () => {
    const stage = await here();
    const member = stage.discord.as('member');
    const plain = await member.say('look', [{ name: 'notes.txt', bytes: Buffer.from('x') }]);
    const refused = await member.menu(MENU, plain);
    expect(await refused.acknowledged()).toMatchObject({ type: 4, ephemeral: true });
    expect(text(await refused.message())).toContain('This message has no image.');
    const silent = stage.discord.as('admin').in('admin-room');
    const shown = await silent.say('look', [await upload()]);
    expect(text(await (await silent.menu(MENU, shown)).message())).toContain('these permissions: `View Channel`');
    expect(ordered(stage.gateway)).toEqual([]);
  });

  it('What is refused of it is what the form says that makes no sense, and nothing is ordered', async () => {
    const stage = await here();
    const member = stage.discord.as('member');
    const shown = await member.say('look', [await upload()]);
    for (const [values, words] of [
      [{ words: ' \u200b' }, 'The prompt is empty'],
      [{ words: 'x', size: 'huge' }, '`huge` is not a valid size'],
      [{ words: 'x', duration: 'long' }, '`long` is not a valid duration'],
      [{ words: 'x', model: 'reel-9' }, 'The model `reel-9` does not exist'],
      [{ words: 'x', pictures: 'my cat' }, '`my` is not a valid URL'],
    ] as const) {
      const form = await (await member.menu(MENU, shown)).modal();
      expect(text(await (await member.fill(form, values)).message())).toContain(words);
    }
    expect(ordered(stage.gateway)).toEqual([]);
  });
});
