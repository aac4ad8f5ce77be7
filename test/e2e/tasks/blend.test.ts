import sharp from 'sharp';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { describeProfiles } from '../profiles.ts';
import { labels, says, startFastClockBot, submitCount } from '../quick.ts';
import { errorsIn, jobs, orders, pressAndWait } from './fixture.ts';
import { openTask, openTaskList } from './pages.ts';

const minute = 60_000;

async function png(name: string, background: string) {
  const raw = { width: 96, height: 64, channels: 3, background } as const;
  return { name, bytes: await sharp({ create: raw }).png().toBuffer() };
}

const dataUri = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;

const createImages = async () => ({ image1: await png('fox.png', 'orange'), image2: await png('sea.png', 'navy') });

describeProfiles('/blend', (profile) => {
  it('/blend sends its images as data in the selected shape, and its result is a grid with buttons', async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const { discord, gateway } = fixture;
    const files = { ...(await createImages()), image3: await png('hare.png', 'white') };
    const exchange = await discord.as('member').slash('blend', { ...files, aspect: 'portrait' });
    const message = await exchange.message(says('Finished in'));
    const base64Array = Object.values(files).map(({ bytes }) => dataUri(bytes));
    expect(orders(gateway)).toEqual([{ path: '/imgx/submit/blend', body: { base64Array, dimensions: 'PORTRAIT' } }]);
    expect(text(message)).toMatch(
      /^\*\*fox\.png \+ sea\.png \+ hare\.png\*\* · <@\d+>\n-# Portrait \(2:3\)\nFinished in/,
    );
    const [grid] = message.attachments;
    expect(grid).toMatchObject({ description: 'AI-generated: fox.png + sea.png + hare.png' });
    expect((grid?.height ?? 0) / (grid?.width ?? 1)).toBeCloseTo(1.5, 1);
    expect(labels(message)).toEqual(expect.arrayContaining(['U1', 'V4', 'Upscale all']));
    const page = text(await openTask(fixture, await openTaskList(fixture)));
    expect(page).toMatch(/^\*\*fox\.png \+ sea\.png \+ hare\.png\*\*\n/);
    const upscaled = await pressAndWait(fixture, message, 'U2');
    expect(text(upscaled)).toMatch(
      /^\*\*fox\.png \+ sea\.png \+ hare\.png\*\* · .*\n-# Upscale of image 2 · \[source\]/,
    );
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/blend without a selected shape neither sends nor shows one', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { profile } });
    const files = await createImages();
    const exchange = await discord.as('member').slash('blend', { ...files, private: true });
    expect((await exchange.message(says('%'))).ephemeral).toBe(true);
    expect(orders(gateway).map(({ body }) => Object.keys(body as object))).toEqual([['base64Array']]);
  });

  it('The message of a failed blend says so, and a blend that exceeds its wait limit is still delivered', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway, clock } = await startFastClockBot({ gateway: { profile } });
    const member = discord.as('member');
    gateway.faults.add({ do: { type: 'fail', reason: 'These cannot be blended.' } });
    const failed = await (await member.slash('blend', await createImages())).message(says('This task failed'));
    expect([text(failed).includes('These cannot be blended.'), labels(failed)]).toEqual([true, ['Retry', 'Delete']]);
    gateway.faults.add({ do: 'stick' });
    const exchange = await member.slash('blend', { ...(await createImages()), aspect: 'square' });
    await exchange.message(says('%'));
    clock.advance(6 * minute);
    await exchange.message(says('longer than usual'));
    gateway.jobs.finish(jobs(gateway).at(-1)?.id ?? '');
    expect((await exchange.message(says('Finished in'))).attachments).toHaveLength(1);
  });

  it.each([
    ['an executable with the extension of an image', Buffer.from('MZ\x90\0\x03'), 'fox.png is not a valid image'],
    ['an empty file', Buffer.alloc(0), 'fox.png is empty'],
  ])('/blend refuses %s before anything is submitted', async (_, bytes, words) => {
    const { discord, gateway } = await startFastClockBot({ gateway: { profile } });
    const { image1 } = await createImages();
    const exchange = await discord.as('member').slash('blend', { image1, image2: { name: 'fox.png', bytes } });
    expect(text(await exchange.message()).replaceAll('`', '')).toContain(words);
    expect(submitCount(gateway)).toBe(0);
  });
});
