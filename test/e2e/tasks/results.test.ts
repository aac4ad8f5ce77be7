import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { Image } from '../../../sandbox/gateway/studio/image.ts';
import type { Studio } from '../../../sandbox/gateway/studio/index.ts';
import { box } from '../../services/media/videos.ts';
import { itVariants } from '../../support/variants.ts';
import { type FastClockFixture, labels, says, startFastClockBot } from '../quick.ts';
import {
  bytesOf,
  errorsIn,
  finishedTask,
  fullStudio,
  jobs,
  orderGrid,
  orders,
  pressAndWait,
  respondToPollsWith,
  shortVideos,
  studioWith,
} from './fixture.ts';
import { openTask, openTaskList } from './pages.ts';

const prompt = 'a fox in the snow';
const altText = 'AI-generated: a fox in the snow';
const hour = 3_600_000;

/** The polls and downloads of results, in order. */
const pollsAndDownloads = ({ gateway }: FastClockFixture): string[] =>
  gateway.requests.flatMap(({ path }) =>
    /\/fetch$/.test(path) ? ['task'] : /^\/files\/(?!.*preview)/.test(path) ? ['file'] : [],
  );

const fileUrl = ({ gateway }: FastClockFixture, name = '1.png'): string =>
  `${gateway.url}/files/${jobs(gateway)[0]?.id}/${name}`;

/** Orders another task, for which the gateway returns this response. */
async function orderWithResponse(fixture: FastClockFixture, body: object, who?: 'other'): Promise<Message> {
  respondToPollsWith(fixture.gateway, finishedTask(body));
  const exchange = await fixture.discord.as(who ?? 'member').slash('imagine', { prompt: 'a hare in the grass' });
  return exchange.message(says('Finished'));
}

describe('A result', () => {
  it('A result whose URL expired before the download is polled again, and then reported as unavailable', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { gateway } = fixture;
    gateway.jobs.on('change', ({ id, state, expired }) => {
      if (state === 'succeeded' && !expired) gateway.jobs.expireFiles(id);
    });
    const message = await orderGrid(fixture);
    expect(text(message)).toContain('1 result could not be downloaded.');
    expect(message.attachments).toEqual([]);
    expect(pollsAndDownloads(fixture).slice(-4)).toEqual(['task', 'file', 'task', 'file']);
    expect(labels(message)).toContain('U1');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A result is attached if the second poll returns a valid URL', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { gateway } = fixture;
    await orderGrid(fixture);
    const [firstJob] = jobs(gateway);
    gateway.jobs.expireFiles(firstJob?.id ?? '');
    gateway.jobs.on('change', ({ state }, previous) => {
      if (state !== 'succeeded' || previous?.state === 'succeeded') return;
      const body = JSON.parse(JSON.stringify(finishedTask({ imageUrl: fileUrl(fixture) })));
      gateway.faults.add({ on: { path: /\/fetch$/ }, do: { type: 'body', body } });
    });
    const message = await orderGrid(fixture, { prompt: 'a hare in the grass' });
    expect(message.attachments).toHaveLength(1);
    expect(text(message)).not.toContain('could not be downloaded');
    expect(pollsAndDownloads(fixture).slice(-4)).toEqual(['task', 'file', 'task', 'file']);
  });

  itVariants([
    ['a data URI', (base64: string) => `data:image/png;base64,${base64}`],
    ['plain base64', (base64: string) => base64],
  ])('A result that is contained in the response as %s is attached byte for byte', async (_, encode) => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: { MARK_RESULTS: 'off' } });
    const bytes = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const message = await orderWithResponse(fixture, { imageUrl: encode(bytes.toString('base64')) });
    expect(message.attachments).toMatchObject([{ content_type: 'image/png', width: 64, height: 48 }]);
    expect((await bytesOf(message)).equals(bytes)).toBe(true);
    expect(message.attachments[0]?.description).toBe('AI-generated: a hare in the grass');
  });

  it('The metadata of a result says that it was AI-generated, with or without reference images', async () => {
    const { discord } = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { DEFAULT_IMAGE_MODEL: 'lumen-image-1' },
    });
    const member = discord.as('member');
    const metadataOf = async (options: Record<string, unknown>): Promise<string> => {
      const message = await (await member.slash('image', { prompt: 'a hare', ...options } as never)).message(
        says('Finished in'),
      );
      return (await sharp(await bytesOf(message)).metadata()).xmp?.toString() ?? '';
    };
    expect(await metadataOf({})).toContain('/digitalsourcetype/trainedAlgorithmicMedia<');
    const bytes = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const image = { name: 'red.png', bytes, contentType: 'image/png' };
    expect(await metadataOf({ image })).toContain('/digitalsourcetype/compositeWithTrainedAlgorithmicMedia<');
  });

  itVariants([
    ['half', 'its file is invalid'],
    ['lying', 'could not be attached. Open it at http'],
    ['cut', 'could not be attached. Open it at http'],
  ] as const)(
    'A result whose file arrives incomplete (%s) is reported as lost and never attached',
    async (truncation, words) => {
      const fixture = await startFastClockBot({ gateway: { speed: 20 } });
      fixture.gateway.faults.add({
        on: { path: /^\/files\// },
        do: { type: 'truncated', how: truncation },
        times: 1_000,
      });
      const message = await orderGrid(fixture);
      expect(text(message)).toContain(words);
      expect(message.attachments).toEqual([]);
      expect(labels(message)).toContain('U1');
      expect(errorsIn(fixture)).toEqual([]);
    },
  );

  it('A video whose file arrives incomplete is not attached', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20, quirks: { refusedActions: false }, studio: shortVideos() },
    });
    const singleImage = await pressAndWait(fixture, await orderGrid(fixture), 'U1');
    fixture.gateway.faults.add({ on: { path: /\.mp4$/ }, do: { type: 'truncated', how: 'half' }, times: 1_000 });
    const video = await pressAndWait(fixture, singleImage, 'Animate (Low motion)');
    expect(video.attachments).toEqual([]);
    expect(text(video)).toContain('its file is invalid');
  });

  it('If two of four images are unavailable or invalid, the others are still delivered', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const first = await orderGrid(fixture);
    const [, , secondUpscale] = [
      first,
      await pressAndWait(fixture, first, 'U1'),
      await pressAndWait(fixture, first, 'U2'),
    ];
    const [gridJob, single, second] = jobs(fixture.gateway);
    const resultUrl = (id: string | undefined, name = '1.png') => ({
      url: `${fixture.gateway.url}/files/${id}/${name}`,
    });
    fixture.gateway.faults.add({ do: 'html-as-picture' });
    await orderGrid(fixture, { prompt: 'an impostor' });
    const impostorJob = jobs(fixture.gateway).at(-1);
    const message = await orderWithResponse(fixture, {
      imageUrls: [
        resultUrl(gridJob?.id, '9.png'),
        resultUrl(single?.id),
        resultUrl(impostorJob?.id),
        resultUrl(second?.id),
      ],
    });
    expect(message.attachments.map(({ content_type, description }) => [content_type, description])).toEqual([
      ['image/png', 'AI-generated: a hare in the grass'],
      ['image/png', 'AI-generated: a hare in the grass'],
    ]);
    expect((await bytesOf(message, 1)).equals(await bytesOf(secondUpscale))).toBe(true);
    expect(text(message)).toContain('1 result could not be downloaded.');
    expect(text(message)).toContain('1 result could not be shown because its file is invalid.');
  });

  it('The metadata of an image is removed, and every pixel is kept', async () => {
    const notes = { IFD0: { Artist: 'an artist', Copyright: 'a secret' }, IFD3: { GPSLatitudeRef: 'N' } };
    const withMetadata = async (image: Image): Promise<Image> => ({
      ...image,
      bytes: await sharp(image.bytes).withExif(notes).png().toBuffer(),
    });
    const fixture = await startFastClockBot({
      discord: { limits: { uploadBytes: 50_000_000 } },
      gateway: {
        speed: 20,
        studio: studioWith((studio) => ({
          drawGrid: async (...args) => withMetadata(await studio.drawGrid(...args)),
        })),
      },
    });
    const message = await orderGrid(fixture);
    const original = Buffer.from(await (await fetch(fileUrl(fixture))).arrayBuffer());
    expect((await sharp(original).metadata()).exif?.includes('a secret')).toBe(true);
    const sentBytes = await bytesOf(message);
    expect((await sharp(sentBytes).metadata()).exif).toBeUndefined();
    expect(sentBytes.includes('a secret')).toBe(false);
    expect((await sharp(sentBytes).raw().toBuffer()).equals(await sharp(original).raw().toBuffer())).toBe(true);
  });

  itVariants([
    ['', false],
    [' and content credentials', true],
  ])(
    'The location in a video%s is removed, the bot’s mark is added, and the message mentions lost credentials',
    async (_, hasCredentials) => {
      const location = box('udta', box('\u00a9xyz', Buffer.from('+52.5200+013.4050/')));
      const manifest = box('uuid', Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex'), Buffer.from('a manifest'));
      const extraBoxes = hasCredentials ? [location, manifest] : [location];
      const videos = shortVideos();
      const studio: Studio = {
        ...videos,
        async drawVideo(...args) {
          const video = await videos.drawVideo(...args);
          return { ...video, bytes: Buffer.concat([video.bytes, ...extraBoxes]) };
        },
      };
      const fixture = await startFastClockBot({
        gateway: { speed: 20, quirks: { refusedActions: false }, studio },
      });
      const video = await pressAndWait(
        fixture,
        await pressAndWait(fixture, await orderGrid(fixture), 'U1'),
        'Animate (Low motion)',
      );
      const bytes = await bytesOf(video);
      expect(bytes.includes('/digitalsourcetype/trainedAlgorithmicMedia<')).toBe(true);
      for (const word of ['+52.5200', 'a manifest']) expect(bytes.includes(word)).toBe(false);
      expect(text(video).includes('content credentials (C2PA) included location data')).toBe(hasCredentials);
      expect(errorsIn(fixture)).toEqual([]);
    },
  );
});

describe('A result that exceeds the upload limit', () => {
  itVariants([
    ['reduced if that is enough', 900_000, 'image/jpeg'],
    ['replaced by a preview with a link to the original if it is much too large', 40_000, 'image/jpeg'],
  ])('A result that exceeds the upload limit is %s', async (_, uploadBytes, type) => {
    const studio = fullStudio();
    const fixture = await startFastClockBot({ discord: { limits: { uploadBytes } }, gateway: { speed: 20, studio } });
    const message = await orderGrid(fixture);
    const original = Buffer.from(await (await fetch(fileUrl(fixture))).arrayBuffer());
    expect(original.length).toBeGreaterThan(uploadBytes);
    expect(message.attachments).toMatchObject([{ content_type: type, description: altText }]);
    expect(message.attachments[0]?.size).toBeLessThanOrEqual(uploadBytes);
    const { width = 0 } = await sharp(await bytesOf(message)).metadata();
    const { width: originalWidth = 0 } = await sharp(original).metadata();
    // A result that is shown at less than half of its size has a link to the original.
    const isPreview = text(message).includes(`A smaller copy is attached. The original is at ${fileUrl(fixture)}`);
    expect(isPreview).toBe(width < originalWidth / 2);
    expect(isPreview).toBe(uploadBytes < 100_000);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A result that exceeds the upload limit even as a small copy is linked', async () => {
    const fixture = await startFastClockBot({ discord: { limits: { uploadBytes: 500 } }, gateway: { speed: 20 } });
    const message = await orderGrid(fixture);
    expect(message.attachments).toEqual([]);
    expect(text(message)).toContain(`The result could not be attached. Open it at ${fileUrl(fixture)}`);
    expect(labels(message)).toContain('U1');
  });

  it('If Discord refuses a file as too large although its limit allows it, the member gets a link or a sentence', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord } = fixture;
    const member = discord.as('member');
    await orderGrid(fixture);
    const page = await openTask(fixture, await openTaskList(fixture));
    const tooLarge = { on: { method: 'PATCH' }, do: { type: 'status', status: 413, code: 40_005 } } as const;
    discord.faults.add(tooLarge);
    const shown = await (await member.click(page, 'Show here')).message(says('Finished in'));
    expect(text(shown)).toMatch(
      /The result could not be attached\. Open it at http.*\n-# Discord did not accept the files/,
    );
    expect([shown.attachments, labels(shown)]).toEqual([[], expect.arrayContaining(['U1'])]);
    discord.faults.add(tooLarge);
    const usage = await (await member.slash('usage')).message(says('refused the files of this response'));
    expect(usage.ephemeral).toBe(true);
  });

  it.each([
    ['one result', 1, 1_200],
    ['four results', 4, 300],
  ])(
    'The link to a large result is never truncated, however long the prompt and the URL are (%s)',
    { tags: ['breadth'] },
    async (_, count, length) => {
      const fixture = await startFastClockBot({ discord: { limits: { uploadBytes: 500 } }, gateway: { speed: 20 } });
      await orderGrid(fixture);
      const resultUrl = (index: number): string => `${fileUrl(fixture)}?signature=${String(index).repeat(length)}`;
      const urls = Array.from({ length: count }, (_, index) => resultUrl(index));
      respondToPollsWith(fixture.gateway, finishedTask({ imageUrls: urls.map((url) => ({ url })) }));
      const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox '.repeat(300).trim() });
      const message = await exchange.message(says('Finished in'));
      for (const one of urls) expect(text(message)).toContain(one);
    },
  );

  it('Each of four large images is reduced, and Discord accepts the whole message', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ discord: { limits: { uploadBytes: 600_000 } }, gateway: { speed: 20 } });
    await orderGrid(fixture);
    const url = fileUrl(fixture);
    const message = await orderWithResponse(fixture, { imageUrls: [{ url }, { url }, { url }, { url }] });
    expect(message.attachments).toHaveLength(4);
    expect(new Set(message.attachments.map(({ filename }) => filename)).size).toBe(4);
    for (const { size, description } of message.attachments) {
      expect(size).toBeLessThanOrEqual(600_000);
      expect(description).toBe('AI-generated: a hare in the grass');
    }
  });

  it('A large video is linked, with the expiry of the link if it is known', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({
      discord: { limits: { uploadBytes: 1_000 } },
      gateway: { speed: 20, studio: shortVideos() },
    });
    const video = await pressAndWait(
      fixture,
      await pressAndWait(fixture, await orderGrid(fixture), 'U1'),
      'Animate (Low motion)',
    );
    const videoJob = jobs(fixture.gateway).at(-1);
    const url = `${fixture.gateway.url}/files/${videoJob?.id}/1.mp4`;
    expect(text(video)).toContain(`The result could not be attached. Open it at ${url}`);
    expect(text(video)).not.toContain('until');
    expect(video.attachments).toEqual([]);
    const expiresAt = Math.floor((fixture.clock.now() + 24 * hour) / 1000);
    const messageWithExpiry = await orderWithResponse(fixture, {
      action: 'VIDEO',
      videoUrls: [{ url, expires_at: expiresAt }],
    });
    expect(text(messageWithExpiry)).toContain(
      `The result could not be attached. Open it at ${url} (available until <t:${expiresAt}:f>)`,
    );
    expect(errorsIn(fixture)).toEqual([]);
  });
});

describe('An uploaded image', () => {
  it('An uploaded image is sent to the gateway without its metadata', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const bytes = await sharp({ create: { width: 32, height: 32, channels: 3, background: 'red' } })
      .withExif({ IFD0: { Artist: 'an artist', Copyright: 'a secret' } })
      .jpeg()
      .toBuffer();
    expect(bytes.includes('a secret')).toBe(true);
    // The gateway cannot reach Discord's files here, so the image is uploaded.
    await orderGrid(fixture, { image: { name: 'fox.jpg', bytes } });
    const [order] = orders(fixture.gateway) as { body: { base64Array: string[] } }[];
    const sentBytes = Buffer.from(order?.body.base64Array[0]?.split(',')[1] ?? '', 'base64');
    expect((await sharp(sentBytes).metadata()).width).toBe(32);
    expect(sentBytes.includes('a secret')).toBe(false);
  });

  it('A file that is not an image is refused without a request to the gateway', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const bytes = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const exchange = await fixture.discord
      .as('member')
      .slash('imagine', { prompt, image: { name: 'fox.png', bytes, contentType: 'image/png' } });
    expect(text(await exchange.message())).toContain('is not a valid image');
    expect(orders(fixture.gateway)).toEqual([]);
  });
});
