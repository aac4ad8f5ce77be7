import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { profiles } from '../../contract/both.ts';
import { labels, says } from '../quick.ts';
import { at, here, image, MODEL, ordered, upload } from './image-scene.ts';
import { grid } from './proof.ts';

const MENU = 'Use as reference';

describe.each(profiles)('made of what a message shows, at a gateway of the %s profile', (profile) => {
  const stand = () => here({ gateway: { profile } });

  it('A new image goes by a result, with a fresh address, and says of which one', async () => {
    const stage = await stand();
    const parent = await image(stage);
    const other = stage.discord.as('other');
    const form = await (await other.click(parent, 'Use as reference')).modal();
    const child = await (await other.fill(form, { words: 'the same at night' })).message(says('Finished in'));
    expect(text(child)).toContain(parent.id);
    expect(text(child)).toContain(other.user.id);
    expect(child.ephemeral).toBe(false);
    const file = parent.attachments[0]?.filename ?? '?';
    expect(ordered(stage.gateway).at(-1)).toEqual({
      ...{ model: MODEL, prompt: 'the same at night', image: [at(`/${file}?ex=`)] },
    });
    expect(labels(child)).toContain('Use as reference');
  });

  it('A new image goes by what words have made', async () => {
    const stage = await stand();
    const parent = await grid(stage, { spoiler: true });
    const member = stage.discord.as('member');
    const form = await (await member.click(parent, 'Use as reference')).modal();
    const filled = await member.fill(form, { words: 'as a woodcut', model: `${MODEL}-2K` });
    const child = await filled.message(says('Finished in'));
    expect(ordered(stage.gateway)).toEqual([{ model: `${MODEL}-2K`, prompt: 'as a woodcut', image: [at('ex=')] }]);
    // What was covered stays covered in what is made of it.
    expect(child.attachments[0]?.filename).toMatch(/^SPOILER_/);
  });

  it('What is made of a private one is as private', async () => {
    const stage = await stand();
    const parent = await image(stage, { private: true });
    const member = stage.discord.as('member');
    // The same order twice within three seconds is one.
    stage.clock.putForward(5_000);
    const again = await (await member.click(parent, 'Run again')).message(says('Finished in'));
    const form = await (await member.click(parent, 'Use as reference')).modal();
    const child = await (await member.fill(form, { words: 'at night' })).message(says('Finished in'));
    const menu = await (await member.menu(MENU, parent)).modal();
    const other = await (await member.fill(menu, { words: 'as a woodcut' })).message(says('Finished in'));
    expect([parent, again, child, other].map(({ ephemeral }) => ephemeral)).toEqual([true, true, true, true]);
  });

  it('A new image goes by any message, by all of its images or by one', async () => {
    const stage = await stand();
    const member = stage.discord.as('member');
    const files = await Promise.all(['one.png', 'two.png', 'three.png'].map(upload));
    const message = await stage.discord
      .as('other')
      .say('look', [...files, { name: 'notes.txt', bytes: Buffer.from('x') }]);
    for (const [which, images] of [
      [undefined, [at('one.png'), at('two.png'), at('three.png')]],
      ['2', [at('two.png')]],
    ] as const) {
      const form = await (await member.menu(MENU, message)).modal();
      const filled = await member.fill(form, { words: 'as a woodcut', ...(which && { which: [which] }) });
      const answer = await filled.message(says('Finished in'));
      expect(answer.ephemeral).toBe(false);
      expect(ordered(stage.gateway).at(-1)).toEqual({ model: MODEL, prompt: 'as a woodcut', image: images });
    }
    expect(ordered(stage.gateway)).toHaveLength(2);
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
  });

  it('What is refused of it is what the form says that makes no sense, and nothing is ordered', async () => {
    const stage = await here();
    const member = stage.discord.as('member');
    const message = await member.say('look', [await upload('one.png'), await upload('two.png')]);
    const pictures = (count: number) =>
      Array.from({ length: count }, (_, n) => `https://x.example/${n}.png`).join('\n');
    for (const [filled, words] of [
      [{ words: ' \u200b' }, 'The prompt is empty'],
      [{ words: 'a fox', pictures: 'my cat' }, '`my` is not a valid URL'],
      [{ words: 'a fox', pictures: pictures(8) }, 'at most `7` images'],
      [{ words: 'a fox', pictures: pictures(1), which: ['2'] }, 'The form has no image `2`'],
      [{ words: 'a fox', model: 'nothing-1' }, 'The model `nothing-1` does not exist'],
    ] as const) {
      const form = await (await member.menu(MENU, message)).modal();
      expect(text(await (await member.fill(form, filled)).message())).toContain(words);
    }
    expect(ordered(stage.gateway)).toEqual([]);
  });

  it('What is refused of it is a press on what is not there any more, or never was', async () => {
    const stage = await here();
    const { discord, gateway } = stage;
    const parent = await image(stage, { image: await upload() });
    const ordersBefore = ordered(gateway).length;
    const member = discord.as('member');
    // Discord's address of a file is good for a day, and the button for longer.
    stage.clock.putForward(25 * 3_600_000);
    expect(text(await (await member.click(parent, 'Run again')).message())).toContain(
      'The URL of `fox.png` expired at',
    );
    gateway.faults.add({ on: { path: /models$/ }, do: { type: 'body', body: { object: 'list', data: [] } }, times: 9 });
    gateway.faults.add({ on: { path: /models\/./ }, do: { type: 'status', status: 404 }, times: 9 });
    // An old list is taken rather than a late one: a press waits for a moment only, this command for the list itself.
    await (await member.slash('models')).message();
    expect(text(await (await member.click(parent, 'Enlarge (2K)')).message())).toContain(
      'does not exist or is not available',
    );
    expect(ordered(gateway)).toHaveLength(ordersBefore);
  });
});
