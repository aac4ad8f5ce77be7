import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { startBot } from '../bot.ts';
import { labels, says, spoilersOf } from '../quick.ts';
import { changeSettings } from '../settings/fixture.ts';
import { orderGrid } from './fixture.ts';
import {
  createLocalFixture,
  imageUpload,
  orderImage,
  receivedOrders,
  startLocalBot,
  TEST_IMAGE_MODEL,
  urlContaining,
} from './image-fixture.ts';

const MENU = 'Use as reference';

describe('Using a message as a reference', () => {
  const start = async () => {
    const fixture = await startLocalBot();
    // Buttons need the list of models, and forms wait for it only half a second of the bot's time.
    await (await fixture.discord.as('member').slash('models')).message();
    return fixture;
  };

  it('A new image can use a result as its reference, whose URL is refreshed, and its message links to the result', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start();
    const parent = await orderImage(fixture);
    const other = fixture.discord.as('other');
    const form = await (await other.click(parent, 'Use as reference')).modal();
    const child = await (await other.fill(form, { words: 'the same at night' })).message(says('Finished in'));
    expect(text(child)).toContain(parent.id);
    expect(text(child)).toContain(other.user.id);
    expect(child.ephemeral).toBe(false);
    const file = parent.attachments[0]?.filename ?? '?';
    expect(receivedOrders(fixture.gateway).at(-1)).toEqual({
      model: TEST_IMAGE_MODEL,
      prompt: 'the same at night',
      image: [urlContaining(`/${file}?ex=`)],
    });
    expect(labels(child)).toContain('Use as reference');
  });

  it('The form of a result of /imagine begins with the member’s usual model', { tags: ['breadth'] }, async () => {
    const fixture = await start();
    const parent = await orderGrid(fixture);
    const member = fixture.discord.as('member');
    await changeSettings(member, 'settings', 'Change models', { image: `${TEST_IMAGE_MODEL}-2K` });
    const form = await (await member.click(parent, 'Use as reference')).modal();
    await (await member.fill(form, { words: 'as a woodcut' })).message(says('Finished in'));
    expect(receivedOrders(fixture.gateway)).toMatchObject([{ model: `${TEST_IMAGE_MODEL}-2K` }]);
  });

  it('A new image can use a result of /imagine as its reference', async () => {
    const fixture = await start();
    const parent = await orderGrid(fixture, { spoiler: true });
    const member = fixture.discord.as('member');
    const form = await (await member.click(parent, 'Use as reference')).modal();
    const submission = await member.fill(form, { words: 'as a woodcut', model: `${TEST_IMAGE_MODEL}-2K` });
    const child = await submission.message(says('Finished in'));
    expect(receivedOrders(fixture.gateway)).toEqual([
      { model: `${TEST_IMAGE_MODEL}-2K`, prompt: 'as a woodcut', image: [urlContaining('ex=')] },
    ]);
    // Everything made from a spoiler is a spoiler too.
    expect(spoilersOf(child)).toEqual([true]);
  });

  it('An image made from a private result is private', { tags: ['breadth'] }, async () => {
    const fixture = await start();
    const parent = await orderImage(fixture, { private: true });
    const member = fixture.discord.as('member');
    // An identical request within three seconds counts as a duplicate.
    fixture.clock.advance(5_000);
    const second = await (await member.click(parent, 'Run again')).message(says('Finished in'));
    const form = await (await member.click(parent, 'Use as reference')).modal();
    const child = await (await member.fill(form, { words: 'at night' })).message(says('Finished in'));
    const menu = await (await member.menu(MENU, parent)).modal();
    const fromMenu = await (await member.fill(menu, { words: 'as a woodcut' })).message(says('Finished in'));
    expect(text(fromMenu)).not.toContain('this message');
    expect([parent, second, child, fromMenu].map(({ ephemeral }) => ephemeral)).toEqual([true, true, true, true]);
  });

  it('A new image can use one or all images of any message as its references', { tags: ['breadth'] }, async () => {
    const fixture = await start();
    const member = fixture.discord.as('member');
    const files = await Promise.all(['one.png', 'two.png', 'three.png'].map(imageUpload));
    const message = await fixture.discord
      .as('other')
      .say('look', [...files, { name: 'notes.txt', bytes: Buffer.from('x') }]);
    for (const [which, images] of [
      [undefined, [urlContaining('one.png'), urlContaining('two.png'), urlContaining('three.png')]],
      ['2', [urlContaining('two.png')]],
    ] as const) {
      const form = await (await member.menu(MENU, message)).modal();
      const submission = await member.fill(form, { words: 'as a woodcut', ...(which && { which: [which] }) });
      const result = await submission.message(says('Finished in'));
      expect(result.ephemeral).toBe(false);
      expect(text(result)).toMatch(
        new RegExp(`Made from \\[this message\\]\\(\\S+/${message.channel_id}/${message.id}\\)`),
      );
      expect(receivedOrders(fixture.gateway).at(-1)).toEqual({
        model: TEST_IMAGE_MODEL,
        prompt: 'as a woodcut',
        image: images,
      });
    }
    expect(receivedOrders(fixture.gateway)).toHaveLength(2);
  });
});

it('A model that is typed into the form while none is listed is trimmed, and a blank one is left out', async () => {
  const fixture = await createLocalFixture();
  const { discord, gateway } = fixture;
  gateway.faults.add({ on: { path: /models$/ }, do: { type: 'status', status: 503 }, times: 99 });
  await startBot(fixture);
  const message = await discord.as('other').say('look', [await imageUpload()]);
  const member = discord.as('member');
  for (const [words, model] of [
    ['as a woodcut', ` ${TEST_IMAGE_MODEL}-2K `],
    ['as a collage', '  '],
  ] as const) {
    const form = await (await member.menu(MENU, message)).modal();
    await (await member.fill(form, { words, model })).message(says('Finished in'));
  }
  expect(receivedOrders(gateway)).toMatchObject([{ model: `${TEST_IMAGE_MODEL}-2K` }, { model: TEST_IMAGE_MODEL }]);
});

it('The form of a reference takes up to ten images in addition, and limits the file picker to images', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startLocalBot();
  const parent = await orderImage(fixture);
  const member = fixture.discord.as('member');
  const form = await (await member.click(parent, MENU)).modal();
  const upload = { type: 19, custom_id: 'added', required: false, max_values: 10, file_types: ['image'] };
  expect(form.components).toContainEqual(expect.objectContaining({ component: expect.objectContaining(upload) }));
  const added = await Promise.all(Array.from({ length: 10 }, (_, index) => imageUpload(`added-${index}.png`)));
  const submission = await member.fill(form, { words: 'together', added });
  await submission.message(says('Finished in'));
  const file = parent.attachments[0]?.filename ?? '?';
  expect(receivedOrders(fixture.gateway).at(-1)).toMatchObject({
    image: [file, ...added.map(({ name }) => name)].map((name) => urlContaining(name)),
  });
});

describe('The refusals of references', () => {
  it('A reference is refused from a message without an image, and in a channel where the bot is not allowed to post', async () => {
    const fixture = await startLocalBot();
    const member = fixture.discord.as('member');
    const textMessage = await member.say('look', [{ name: 'notes.txt', bytes: Buffer.from('x') }]);
    const refused = await member.menu(MENU, textMessage);
    expect(await refused.acknowledged()).toMatchObject({ type: 4, ephemeral: true });
    expect(text(await refused.message())).toContain('This message has no image.');
    const adminRoom = fixture.discord.as('admin').in('admin-room');
    const imageMessage = await adminRoom.say('look', [await imageUpload()]);
    expect(text(await (await adminRoom.menu(MENU, imageMessage)).message())).toContain(
      'these permissions: `View Channel`',
    );
  });

  it('Invalid values in the reference form are refused, and nothing is submitted', async () => {
    const fixture = await startLocalBot();
    const member = fixture.discord.as('member');
    const message = await member.say('look', [await imageUpload('one.png'), await imageUpload('two.png')]);
    for (const [values, words] of [[{ words: ' \u200b' }, 'The prompt is empty']] as const) {
      const form = await (await member.menu(MENU, message)).modal();
      expect(text(await (await member.fill(form, values)).message())).toContain(words);
    }
    expect(receivedOrders(fixture.gateway)).toEqual([]);
  });

  it('A press is refused if the URL of the reference has expired or the larger model no longer exists', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startLocalBot();
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    // The button for a larger model needs the list of models.
    await (await member.slash('models')).message();
    const parent = await orderImage(fixture, { image: await imageUpload() });
    const orderCountBefore = receivedOrders(gateway).length;
    // Discord's URL of a file is valid for a day, but the button works for longer.
    fixture.clock.advance(25 * 3_600_000);
    expect(text(await (await member.click(parent, 'Run again')).message())).toContain(
      'The URL of `fox.png` expired on',
    );
    gateway.faults.add({ on: { path: /models$/ }, do: { type: 'body', body: { object: 'list', data: [] } }, times: 9 });
    gateway.faults.add({ on: { path: /models\/./ }, do: { type: 'status', status: 404 }, times: 9 });
    // A button press uses the old list of models instead of waiting for a new one, but this command waits.
    await (await member.slash('models')).message();
    expect(text(await (await member.click(parent, 'Enlarge (2K)')).message())).toContain(
      'does not exist or is not available',
    );
    expect(receivedOrders(gateway)).toHaveLength(orderCountBefore);
  });
});
