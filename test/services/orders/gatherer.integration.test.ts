import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { secondsOf } from '../../../src/lib/pcm.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { type Media, openMedia } from '../../../src/services/media/media.ts';
import { createGatherer } from '../../../src/services/orders/gatherer.ts';
import type { GatherContext, Materials } from '../../../src/services/tasks/materials.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { plainLog } from '../../support/plain-log.ts';
import { openRealAudio } from '../../support/sounds.ts';
import { chunked, type FileHost, file, openFileHost, redirect } from '../media/file-host.ts';
import { noise, withExtraBytes } from '../media/images.ts';
import { SECONDS } from '../media/sound/tones.ts';

const apiKey = 'sk-secret-of-the-gateway';
const MB = 1_000_000;
const sounds = openRealAudio();

afterAll(() => sounds.close());

const plainImage = (background: string, size = { width: 40, height: 30 }): Promise<Buffer> =>
  sharp({ create: { ...size, channels: 3, background } })
    .png()
    .toBuffer();

describe('The files of a request', () => {
  let gateway: FileHost;
  /** The host of the embedded Discord's files. */
  let discord: FileHost;
  let thirdPartyHost: FileHost;
  let media: Media;
  let clock: ManualClock;
  let logLines: string[];
  let png: Buffer;
  /** URLs that the gateway cannot reach. */
  let unreachableUrls: Set<string>;
  let gather: (request: Record<string, unknown>, context?: Partial<GatherContext>) => Promise<Materials>;

  beforeEach(async () => {
    [gateway, discord, thirdPartyHost] = await Promise.all([openFileHost(), openFileHost(), openFileHost()]);
    clock = new ManualClock();
    logLines = [];
    png = await noise(40, 30).png().toBuffer();
    const settings = {
      gatewayOrigin: gateway.origin,
      apiKey,
      allowPrivate: false,
      extraOrigins: [`${discord.origin}/`],
    };
    // The limits allow only one file of the maximum size, so that memory that is not released is noticed immediately.
    const limits = { memberFilesBytes: 21 * MB, resultsBytes: 21 * MB, fileBytes: 21 * MB, pixels: 5_000_000 };
    media = openMedia(settings, { clock, log: { warn: () => undefined }, process: mediaProcess }, limits);
    const log = plainLog({ info: (facts, message) => void logLines.push(JSON.stringify(facts) + message) });
    unreachableUrls = new Set();
    const isReachable = async (url: string) => !unreachableUrls.has(url);
    const gatherFiles = createGatherer({
      media,
      sounds,
      log,
      clock,
      canReach: isReachable,
      upload: async () => undefined,
    });
    gather = (request, context) => gatherFiles(request, { memberId: 'member', timeLimitMs: 300_000, ...context });
  });
  afterEach(async () => {
    await media.close();
    await Promise.all([gateway.close(), discord.close(), thirdPartyHost.close()]);
  });

  const fileAt = (name: string, url: string) => ({ name, address: url });
  const uploadFile = (name: string, bytes: Buffer) => fileAt(name, discord.on(`/${name}`, file(bytes)));

  async function refusalOf(promise: Promise<unknown>) {
    const error = await promise.then(
      () => new Error('Nothing was refused.'),
      (reason: unknown) => reason,
    );
    if (!(error instanceof Refusal)) throw error;
    return { key: error.key, ...error.variables };
  }

  const bytesOf = (dataUri = ''): Buffer => Buffer.from(dataUri.split(',')[1] ?? '', 'base64');
  const refusalOfImages = (...pictures: object[]) => refusalOf(gather({ pictures }));

  /** Returns the size of a mask and the number of its white pixels. */
  async function inspectMask(mask?: string) {
    const { data, info } = await sharp(bytesOf(mask)).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, white: data.filter((shade) => shade === 255).length };
  }

  it('For a request without files, no files are sent and nothing is fetched', async () => {
    expect(await gather({ prompt: 'a cat' })).toEqual({});
    expect(await gather({ prompt: 'a cat', pictures: [] })).toEqual({});
    expect([...gateway.requests, ...discord.requests]).toEqual([]);
  });

  describe('as images', () => {
    it('The images of a request are sent in their order as data URIs of their real type, regardless of their names', async () => {
      const jpeg = await noise(20, 20).jpeg().toBuffer();
      const { images, mask } = await gather({ pictures: [uploadFile('a.gif', png), uploadFile('b.png', jpeg)] });
      expect(images?.map((uri) => uri.split(',')[0])).toEqual(['data:image/png;base64', 'data:image/jpeg;base64']);
      expect(bytesOf(images?.[0]).equals(png)).toBe(true);
      expect(mask).toBeUndefined();
    });

    it('The images of a request are sent without metadata about their author', async () => {
      const jpegWithMetadata = await noise(20, 20)
        .jpeg()
        .withExif({ IFD0: { Artist: 'an artist' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
        .toBuffer();
      expect(jpegWithMetadata.includes('an artist')).toBe(true);
      const { images } = await gather({ pictures: [uploadFile('a.jpg', jpegWithMetadata)] });
      expect(bytesOf(images?.[0]).includes('an artist')).toBe(false);
      expect((await sharp(bytesOf(images?.[0])).metadata()).exif).toBeUndefined();
    });

    it('A request can have at most five images, and none is fetched if there are more', async () => {
      const image = uploadFile('a.png', png);
      expect((await gather({ pictures: [image, image, image, image, image] })).images).toHaveLength(5);
      const requestCount = discord.requests.length;
      expect(await refusalOfImages(image, image, image, image, image, image)).toEqual({
        key: 'refusals.tooManyImages',
        count: '6',
        max: '5',
      });
      expect(discord.requests).toHaveLength(requestCount);
    });

    it('An image of a request that cannot be sent is refused, and the refusal contains its name', async () => {
      const page = uploadFile('page.png', Buffer.from('<html></html>'));
      const truncatedImage = uploadFile('half.png', png.subarray(0, png.length / 2));
      const video = uploadFile('video.png', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavc1\0\0\0\x08moov', 'latin1'));
      const bomb = uploadFile('bomb.png', await plainImage('black', { width: 2_300, height: 2_300 }));
      const heavyImage = uploadFile('heavy.png', withExtraBytes(png, 20 * MB));
      const endlessImage = fileAt('endless.png', discord.on('/endless', chunked(withExtraBytes(png, 20 * MB))));
      const missingFile = fileAt('gone.png', `${discord.origin}/gone`);
      const brokenImage = fileAt(
        'broken.png',
        discord.on('/broken', (response) => void response.writeHead(500).end()),
      );
      const droppedImage = fileAt(
        'cut.png',
        discord.on('/cut', (response) => void response.socket?.destroy()),
      );
      const message = fileAt('words', 'a cat');
      const megabytes = 20;
      for (const [image, refusal] of [
        [page, { key: 'refusals.imageInvalid', name: 'page.png' }],
        [truncatedImage, { key: 'refusals.imageInvalid', name: 'half.png' }],
        [video, { key: 'refusals.imageInvalid', name: 'video.png' }],
        [bomb, { key: 'refusals.imageTooLarge', name: 'bomb.png', megabytes }],
        [heavyImage, { key: 'refusals.imageTooLarge', name: 'heavy.png', megabytes }],
        [endlessImage, { key: 'refusals.imageTooLarge', name: 'endless.png', megabytes }],
        [missingFile, { key: 'refusals.imageGone', name: 'gone.png' }],
        [brokenImage, { key: 'refusals.imageUnreachable', name: 'broken.png' }],
        [droppedImage, { key: 'refusals.imageUnreachable', name: 'cut.png' }],
        [message, { key: 'refusals.imageUnreachable', name: 'words' }],
      ] as const) {
        expect(await refusalOfImages(uploadFile('good.png', png), image)).toEqual(refusal);
      }
      expect(logLines).toHaveLength(10);
    });

    it('The images of a request release their memory whether they are accepted or refused', {
      tags: ['breadth'],
    }, async () => {
      const largeImage = uploadFile('large.png', withExtraBytes(png, 15 * MB));
      const invalidFile = uploadFile('odd.png', Buffer.concat([png.subarray(0, 33), Buffer.alloc(15 * MB)]));
      expect((await gather({ pictures: [largeImage, largeImage] })).images).toHaveLength(2);
      expect(await refusalOfImages(invalidFile)).toMatchObject({ key: 'refusals.imageInvalid' });
      expect(await gather({ region: { side: 'left', of: largeImage } })).toHaveProperty('mask');
      expect(await refusalOf(gather({ region: { side: 'left', of: invalidFile } }))).toMatchObject({
        key: 'refusals.maskSizeUnknown',
      });
      expect(await refusalOf(gather({ region: { drawn: largeImage } }))).toMatchObject({
        key: 'refusals.maskUnclear',
      });
      expect(await refusalOf(gather({ region: { drawn: invalidFile } }))).toMatchObject({
        key: 'refusals.imageInvalid',
      });
      expect((await gather({ pictures: [largeImage] })).images).toHaveLength(1);
    });

    it('The images of a request are refused if their total size is too large', { tags: ['breadth'] }, async () => {
      const largeImage = uploadFile('large.png', await noise(2_160, 2_160).png({ compressionLevel: 0 }).toBuffer());
      expect((await gather({ pictures: [largeImage, largeImage] })).images).toHaveLength(2);
      expect(await refusalOfImages(largeImage, largeImage, largeImage)).toEqual({
        key: 'refusals.imagesTooLarge',
        megabytes: 40,
      });
    });

    it('The download of the images of a request takes at most a minute', async () => {
      const slowImage = fileAt(
        'slow.png',
        discord.on('/slow', () => undefined),
      );
      const pending = refusalOfImages(slowImage);
      while (discord.requests.length === 0) await new Promise(setImmediate);
      clock.advance(60_000);
      expect(await pending).toEqual({ key: 'refusals.imageUnreachable', name: 'slow.png' });
    });

    it('The download of the images of a request is aborted if the bot stops in the meantime', async () => {
      const pending = refusalOfImages(
        fileAt(
          'slow.png',
          discord.on('/slow', () => undefined),
        ),
      );
      while (discord.requests.length === 0) await new Promise(setImmediate);
      await media.close();
      expect(await pending).toEqual({ key: 'refusals.stopping' });
    });
  });

  describe('from third-party URLs', () => {
    it('Files from third-party URLs are not fetched from a gateway in a private network, not even after a redirect to it', async () => {
      const gatewayFile = fileAt('own.png', gateway.on('/own', file(png)));
      const redirectedFile = fileAt('back.png', discord.on('/back', redirect(`${gateway.origin}/own`)));
      for (const image of [gatewayFile, redirectedFile])
        expect(await refusalOfImages(image)).toEqual({ key: 'refusals.imageUnreachable', name: image.name });
      expect(gateway.requests).toEqual([]);
      await gather({ pictures: [uploadFile('a.png', png)] });
      for (const { headers } of discord.requests) expect(headers).not.toHaveProperty('authorization');
    });

    it('Files from third-party URLs are not fetched from private addresses of other hosts', async () => {
      const secretUrl = thirdPartyHost.on('/secret', file(png));
      const directFile = fileAt('direct.png', secretUrl);
      const fileBehindRedirect = fileAt('roundabout.png', discord.on('/away', redirect(secretUrl)));
      for (const image of [directFile, fileBehindRedirect]) {
        expect(await refusalOfImages(image)).toEqual({ key: 'refusals.imageUnreachable', name: image.name });
      }
      expect(thirdPartyHost.requests).toEqual([]);
    });
  });

  describe('as a mask', () => {
    const gatherRegion = (side: string, of: object) => gather({ region: { side, of } });

    it('A mask is drawn in the given size without a fetch', async () => {
      const { mask } = await gatherRegion('left', { address: `${gateway.origin}/never`, width: 64, height: 32 });
      expect(mask).toMatch(/^data:image\/png;base64,/);
      expect(await inspectMask(mask)).toEqual({ width: 64, height: 32, white: 32 * 32 });
      expect(gateway.requests).toEqual([]);
    });

    it.each([
      ['unknown', {}],
      ['partly known', { width: 64 }],
      ['nonsense', { width: 0, height: -3 }],
      ['not a whole number', { width: 64.5, height: 32 }],
    ])('A mask is drawn in the size of the image if the given size is %s', async (_what, size) => {
      const url = gateway.on('/grid', file(png));
      expect(await inspectMask((await gatherRegion('top', { address: url, ...size })).mask)).toEqual({
        width: 40,
        height: 30,
        white: 40 * 15,
      });
      expect(gateway.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    });

    it('A mask is refused if the size of the image is unknown', async () => {
      for (const image of [
        { address: `${gateway.origin}/gone` },
        { address: gateway.on('/page', file(Buffer.from('<html></html>'))) },
        { address: gateway.on('/grid', file(png)), width: 1e9, height: 1e9 },
      ]) {
        expect(await refusalOf(gatherRegion('left', image))).toEqual({ key: 'refusals.maskSizeUnknown' });
      }
      expect(logLines).toHaveLength(3);
    });

    it("A mask is the member's drawing in black and white", async () => {
      const yellowSquare = await plainImage('yellow', { width: 10, height: 10 });
      const bytes = await sharp(await plainImage('navy'))
        .composite([{ input: yellowSquare, left: 0, top: 0 }])
        .png()
        .toBuffer();
      const { mask, images } = await gather({ region: { drawn: uploadFile('mask.png', bytes) } });
      expect(mask).toMatch(/^data:image\/png;base64,/);
      expect(await inspectMask(mask)).toEqual({ width: 40, height: 30, white: 100 });
      expect(images).toBeUndefined();
    });

    it.each([
      ['black', 'refusals.maskEmpty'],
      ['white', 'refusals.maskFull'],
      ['gray', 'refusals.maskUnclear'],
    ])('A mask that is completely %s is refused, and the refusal contains its name', async (background, key) => {
      const drawn = uploadFile('mask.png', await plainImage(background));
      expect(await refusalOf(gather({ region: { drawn } }))).toEqual({ key, name: 'mask.png' });
    });

    it('A mask is refused if its aspect ratio differs from that of the image by more than rounding', {
      tags: ['breadth'],
    }, async () => {
      const gatherDrawn = async (size: { width: number; height: number }, of: object) => {
        const square = { input: await plainImage('white', { width: 10, height: 10 }), left: 0, top: 0 };
        const bytes = await sharp(await plainImage('black', size))
          .composite([square])
          .png()
          .toBuffer();
        return gather({ region: { drawn: uploadFile('mask.png', bytes), of } });
      };
      const address = gateway.on('/grid', file(png));
      const variables = { key: 'refusals.maskShape', name: 'mask.png' };
      const square = { address, width: 1_024, height: 1_024 };
      for (const size of [
        { width: 64, height: 64 },
        { width: 200, height: 202 },
        { width: 20, height: 21 },
      ])
        expect(await gatherDrawn(size, square)).toHaveProperty('mask');
      expect(await refusalOf(gatherDrawn({ width: 390, height: 844 }, square))).toEqual({
        ...variables,
        size: '390 × 844',
        imageSize: '1024 × 1024',
      });
      expect(await refusalOf(gatherDrawn({ width: 200, height: 205 }, square))).toMatchObject(variables);
      // The size is measured if the gateway has not stated it, and a mask is accepted if that is impossible.
      expect(await gatherDrawn({ width: 80, height: 60 }, { address })).toHaveProperty('mask');
      expect(await refusalOf(gatherDrawn({ width: 60, height: 80 }, { address }))).toMatchObject(variables);
      const gone = { address: `${gateway.origin}/gone` };
      expect(await gatherDrawn({ width: 60, height: 80 }, gone)).toHaveProperty('mask');
    });

    it('A mask that is missing or not an image is refused, and the refusal contains its name', async () => {
      const invalidFile = uploadFile('odd.png', Buffer.from('<html></html>'));
      const missingFile = fileAt('gone.png', `${discord.origin}/gone`);
      const refusalFor = (drawn: object) => refusalOf(gather({ region: { drawn } }));
      expect(await refusalFor(invalidFile)).toEqual({ key: 'refusals.imageInvalid', name: 'odd.png' });
      expect(await refusalFor(missingFile)).toEqual({ key: 'refusals.imageGone', name: 'gone.png' });
    });
  });

  describe('The audio of a request', () => {
    const readRecording = () => readFile(new URL('../media/sound/files/mono.ogg', import.meta.url));

    it('The audio of a request is decoded to samples regardless of the file name', async () => {
      const { sound } = await gather({ sound: uploadFile('notes.txt', await readRecording()) });
      expect(secondsOf(sound ?? new Int16Array())).toBeCloseTo(SECONDS, 1);
      expect(Math.max(...(sound ?? []))).toBeGreaterThan(10_000);
    });

    it('The audio of a request is refused if the file is missing, not audio, or longer than the limit', {
      tags: ['breadth'],
    }, async () => {
      const refusalFor = (sound: object) => refusalOf(gather({ sound }));
      expect(await refusalFor(uploadFile('odd.ogg', png))).toEqual({ key: 'refusals.audioNotSupported' });
      expect(await refusalFor(fileAt('gone.ogg', `${discord.origin}/gone`))).toEqual({
        key: 'refusals.documentGone',
        name: 'gone.ogg',
      });
      expect((await refusalFor(uploadFile('long.wav', silentWav(301)))).key).toBe('refusals.audioTooLong');
      expect(await refusalFor(uploadFile('large.ogg', Buffer.alloc(21 * MB + 1)))).toMatchObject({ name: 'large.ogg' });
    });

    it('The audio of a request releases its memory whether it is accepted or refused', {
      tags: ['breadth'],
    }, async () => {
      await gather({ sound: uploadFile('a.ogg', Buffer.concat([await readRecording(), Buffer.alloc(15 * MB)])) });
      await refusalOf(gather({ sound: uploadFile('b.ogg', Buffer.alloc(15 * MB)) }));
      const largeImage = uploadFile('a.png', withExtraBytes(png, 15 * MB));
      expect((await gather({ pictures: [largeImage] })).images).toHaveLength(1);
    });
  });
});

/** A silent WAV file with eight bits per sample and a low sample rate. */
function silentWav(seconds: number, rate = 8_000): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + seconds * rate, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(seconds * rate, 40);
  return Buffer.concat([header, Buffer.alloc(seconds * rate, 0x80)]);
}
