import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { secondsOf } from '../../../src/lib/pcm.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { createGatherer } from '../../../src/services/inputs/inputs.ts';
import { type Media, openMedia } from '../../../src/services/media/index.ts';
import type { GatherContext, Materials } from '../../../src/services/tasks/materials.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { realSounds } from '../../support/sounds.ts';
import { chunked, type FileHost, file, openFileHost, redirect } from '../media/file-host.ts';
import { noise, withExtraBytes } from '../media/images.ts';
import { SECONDS } from '../sound/tones.ts';

const apiKey = 'sk-secret-of-the-gateway';
const MB = 1_000_000;
const sounds = realSounds();

afterAll(() => sounds.close());

const plain = (background: string, size = { width: 40, height: 30 }): Promise<Buffer> =>
  sharp({ create: { ...size, channels: 3, background } })
    .png()
    .toBuffer();

describe('The files of a request', () => {
  let gateway: FileHost;
  /** Where the embedded Discord keeps its files. */
  let discord: FileHost;
  let thirdPartyHost: FileHost;
  let media: Media;
  let clock: ManualClock;
  let notes: string[];
  let png: Buffer;
  /** URLs that the gateway cannot reach. */
  let outOfReach: Set<string>;
  let gather: (request: Record<string, unknown>, context?: Partial<GatherContext>) => Promise<Materials>;

  beforeEach(async () => {
    [gateway, discord, thirdPartyHost] = await Promise.all([openFileHost(), openFileHost(), openFileHost()]);
    clock = new ManualClock();
    notes = [];
    png = await noise(40, 30).png().toBuffer();
    const settings = {
      gatewayOrigin: gateway.origin,
      apiKey,
      allowPrivate: false,
      extraOrigins: [`${discord.origin}/`],
    };
    // Room for a single file of the largest size, so memory that is not released is noticed immediately.
    const limits = { memberFilesBytes: 21 * MB, resultsBytes: 21 * MB, fileBytes: 21 * MB, pixels: 5_000_000 };
    media = openMedia(settings, { clock, log: { warn: () => undefined }, process: mediaProcess }, limits);
    const log = { info: (facts: object, words: string) => void notes.push(JSON.stringify(facts) + words) };
    outOfReach = new Set();
    const reach = async (url: string) => !outOfReach.has(url);
    const gathered = createGatherer({
      ...{ media, sounds, log, clock, canReach: reach },
      upload: async () => undefined,
    });
    gather = (request, context) => gathered(request, { memberId: 'member', timeLimitMs: 300_000, ...context });
  });
  afterEach(async () => {
    await media.close();
    await Promise.all([gateway.close(), discord.close(), thirdPartyHost.close()]);
  });

  const given = (name: string, url: string) => ({ name, address: url });
  const uploaded = (name: string, bytes: Buffer) => given(name, discord.on(`/${name}`, file(bytes)));

  async function refusalOf(work: Promise<unknown>) {
    const error = await work.then(
      () => new Error('Nothing was refused.'),
      (reason: unknown) => reason,
    );
    if (!(error instanceof Refusal)) throw error;
    return { key: error.key, ...error.variables };
  }

  const bytesOf = (dataUri = ''): Buffer => Buffer.from(dataUri.split(',')[1] ?? '', 'base64');
  const refused = (...pictures: object[]) => refusalOf(gather({ pictures }));

  /** Counts the pixels of each shade. */
  async function shadesOf(mask?: string) {
    const { data, info } = await sharp(bytesOf(mask)).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, white: data.filter((shade) => shade === 255).length };
  }

  it('A request that names no files sends none, and nothing is fetched', async () => {
    expect(await gather({ prompt: 'a cat' })).toEqual({});
    expect(await gather({ prompt: 'a cat', pictures: [] })).toEqual({});
    expect([...gateway.requests, ...discord.requests]).toEqual([]);
  });

  describe('as images', () => {
    it('The images of a request are sent in their order as data URIs of their real type, regardless of their names', async () => {
      const jpeg = await noise(20, 20).jpeg().toBuffer();
      const { images, mask } = await gather({ pictures: [uploaded('a.gif', png), uploaded('b.png', jpeg)] });
      expect(images?.map((uri) => uri.split(',')[0])).toEqual(['data:image/png;base64', 'data:image/jpeg;base64']);
      expect(bytesOf(images?.[0]).equals(png)).toBe(true);
      expect(mask).toBeUndefined();
    });

    it('The images of a request are sent without metadata about their author', async () => {
      const noted = await noise(20, 20)
        .jpeg()
        .withExif({ IFD0: { Artist: 'an artist' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
        .toBuffer();
      expect(noted.includes('an artist')).toBe(true);
      const { images } = await gather({ pictures: [uploaded('a.jpg', noted)] });
      expect(bytesOf(images?.[0]).includes('an artist')).toBe(false);
      expect((await sharp(bytesOf(images?.[0])).metadata()).exif).toBeUndefined();
    });

    it('A request has at most five images, and if there are six, none is fetched', async () => {
      const one = uploaded('a.png', png);
      expect((await gather({ pictures: [one, one, one, one, one] })).images).toHaveLength(5);
      const before = discord.requests.length;
      expect(await refused(one, one, one, one, one, one)).toEqual({
        key: 'refusals.tooManyImages',
        count: '6',
        max: '5',
      });
      expect(discord.requests).toHaveLength(before);
    });

    it('The images of a request are refused by name if they cannot be sent', async () => {
      const page = uploaded('page.png', Buffer.from('<html></html>'));
      const half = uploaded('half.png', png.subarray(0, png.length / 2));
      const video = uploaded('video.png', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavc1\0\0\0\x08moov', 'latin1'));
      const bomb = uploaded('bomb.png', await plain('black', { width: 2_300, height: 2_300 }));
      const heavy = uploaded('heavy.png', withExtraBytes(png, 20 * MB));
      const endless = given('endless.png', discord.on('/endless', chunked(withExtraBytes(png, 20 * MB))));
      const gone = given('gone.png', `${discord.origin}/gone`);
      const broken = given(
        'broken.png',
        discord.on('/broken', (response) => void response.writeHead(500).end()),
      );
      const cut = given(
        'cut.png',
        discord.on('/cut', (response) => void response.socket?.destroy()),
      );
      const words = given('words', 'a cat');
      const max = '20 MB';
      for (const [image, refusal] of [
        [page, { key: 'refusals.imageInvalid', name: 'page.png' }],
        [half, { key: 'refusals.imageInvalid', name: 'half.png' }],
        [video, { key: 'refusals.imageInvalid', name: 'video.png' }],
        [bomb, { key: 'refusals.imageTooLarge', name: 'bomb.png', max }],
        [heavy, { key: 'refusals.imageTooLarge', name: 'heavy.png', max }],
        [endless, { key: 'refusals.imageTooLarge', name: 'endless.png', max }],
        [gone, { key: 'refusals.imageGone', name: 'gone.png' }],
        [broken, { key: 'refusals.imageUnreachable', name: 'broken.png' }],
        [cut, { key: 'refusals.imageUnreachable', name: 'cut.png' }],
        [words, { key: 'refusals.imageUnreachable', name: 'words' }],
      ] as const) {
        expect(await refused(uploaded('good.png', png), image)).toEqual(refusal);
      }
      expect(notes).toHaveLength(10);
    });

    it('The images of a request release their memory whether they are accepted or refused', async () => {
      const large = uploaded('large.png', withExtraBytes(png, 15 * MB));
      const odd = uploaded('odd.png', Buffer.concat([png.subarray(0, 33), Buffer.alloc(15 * MB)]));
      for (let times = 0; times < 2; times++) {
        expect((await gather({ pictures: [large, large] })).images).toHaveLength(2);
        expect(await refused(odd)).toMatchObject({ key: 'refusals.imageInvalid' });
        expect(await gather({ region: { side: 'left', of: large } })).toHaveProperty('mask');
        expect(await refusalOf(gather({ region: { side: 'left', of: odd } }))).toMatchObject({
          key: 'refusals.maskSizeUnknown',
        });
        expect(await refusalOf(gather({ region: { drawn: large } }))).toMatchObject({ key: 'refusals.maskUnclear' });
        expect(await refusalOf(gather({ region: { drawn: odd } }))).toMatchObject({ key: 'refusals.imageInvalid' });
      }
    });

    it('The images of a request are refused if their total size is too large', async () => {
      const large = uploaded('large.png', await noise(2_160, 2_160).png({ compressionLevel: 0 }).toBuffer());
      expect((await gather({ pictures: [large, large] })).images).toHaveLength(2);
      expect(await refused(large, large, large)).toEqual({ key: 'refusals.imagesTooLarge', max: '40 MB' });
    });

    it('The images of a request wait for their downloads for at most a minute', async () => {
      const slow = given(
        'slow.png',
        discord.on('/slow', () => undefined),
      );
      const waiting = refused(slow);
      while (discord.requests.length === 0) await new Promise(setImmediate);
      clock.advance(60_000);
      expect(await waiting).toEqual({ key: 'refusals.imageUnreachable', name: 'slow.png' });
    });

    it('The images of a request are abandoned if the bot stops in the meantime', async () => {
      const waiting = refused(
        given(
          'slow.png',
          discord.on('/slow', () => undefined),
        ),
      );
      while (discord.requests.length === 0) await new Promise(setImmediate);
      await media.close();
      expect(await waiting).toEqual({ key: 'refusals.stopping' });
    });
  });

  describe('from third-party URLs', () => {
    it('Files from third-party URLs are requested without the key, even from the gateway or after a redirect to it', async () => {
      const own = given('own.png', gateway.on('/own', file(png)));
      const back = given('back.png', discord.on('/back', redirect(`${gateway.origin}/own`)));
      await gather({ pictures: [own, back, uploaded('a.png', png)] });
      expect(gateway.requests).toHaveLength(2);
      for (const { headers } of [...gateway.requests, ...discord.requests])
        expect(headers).not.toHaveProperty('authorization');
    });

    it('Files from third-party URLs are not fetched from private addresses of other hosts', async () => {
      const secret = thirdPartyHost.on('/secret', file(png));
      const direct = given('direct.png', secret);
      const viaRedirect = given('roundabout.png', discord.on('/away', redirect(secret)));
      for (const one of [direct, viaRedirect]) {
        expect(await refused(one)).toEqual({ key: 'refusals.imageUnreachable', name: one.name });
      }
      expect(thirdPartyHost.requests).toEqual([]);
    });
  });

  describe('as a mask', () => {
    const region = (side: string, of: object) => gather({ region: { side, of } });

    it('A mask is drawn in the given size without a fetch', async () => {
      const { mask } = await region('left', { address: `${gateway.origin}/never`, width: 64, height: 32 });
      expect(mask).toMatch(/^data:image\/png;base64,/);
      expect(await shadesOf(mask)).toEqual({ width: 64, height: 32, white: 32 * 32 });
      expect(gateway.requests).toEqual([]);
    });

    it.each([
      ['unknown', {}],
      ['partly known', { width: 64 }],
      ['nonsense', { width: 0, height: -3 }],
      ['not a whole number', { width: 64.5, height: 32 }],
    ])('A mask is drawn in the size of the image if the given size is %s', async (_what, size) => {
      const url = gateway.on('/grid', file(png));
      expect(await shadesOf((await region('top', { address: url, ...size })).mask)).toEqual({
        width: 40,
        height: 30,
        white: 40 * 15,
      });
      expect(gateway.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    });

    it('A mask is refused if the size of the image is unknown', async () => {
      for (const of of [
        { address: `${gateway.origin}/gone` },
        { address: gateway.on('/page', file(Buffer.from('<html></html>'))) },
        { address: gateway.on('/grid', file(png)), width: 1e9, height: 1e9 },
      ]) {
        expect(await refusalOf(region('left', of))).toEqual({ key: 'refusals.maskSizeUnknown' });
      }
      expect(notes).toHaveLength(3);
    });

    it("A mask is the member's drawing in black and white", async () => {
      const part = await plain('yellow', { width: 10, height: 10 });
      const bytes = await sharp(await plain('navy'))
        .composite([{ input: part, left: 0, top: 0 }])
        .png()
        .toBuffer();
      const { mask, images } = await gather({ region: { drawn: uploaded('mask.png', bytes) } });
      expect(mask).toMatch(/^data:image\/png;base64,/);
      expect(await shadesOf(mask)).toEqual({ width: 40, height: 30, white: 100 });
      expect(images).toBeUndefined();
    });

    it.each([
      ['black', 'refusals.maskEmpty'],
      ['white', 'refusals.maskFull'],
      ['gray', 'refusals.maskUnclear'],
    ])('A mask is refused by name if all of it is %s', async (background, key) => {
      const drawn = uploaded('mask.png', await plain(background));
      expect(await refusalOf(gather({ region: { drawn } }))).toEqual({ key, name: 'mask.png' });
    });

    it('A mask is refused by name if it is missing or not an image', async () => {
      const odd = uploaded('odd.png', Buffer.from('<html></html>'));
      const gone = given('gone.png', `${discord.origin}/gone`);
      const why = (drawn: object) => refusalOf(gather({ region: { drawn } }));
      expect(await why(odd)).toEqual({ key: 'refusals.imageInvalid', name: 'odd.png' });
      expect(await why(gone)).toEqual({ key: 'refusals.imageGone', name: 'gone.png' });
    });
  });

  describe('The audio of a request', () => {
    const recorded = () => readFile(new URL('../sound/files/mono.ogg', import.meta.url));

    it('The audio of a request is decoded to samples regardless of the file name', async () => {
      const { sound } = await gather({ sound: uploaded('notes.txt', await recorded()) });
      expect(secondsOf(sound ?? new Int16Array())).toBeCloseTo(SECONDS, 1);
      expect(Math.max(...(sound ?? []))).toBeGreaterThan(10_000);
    });

    it('The audio of a request is refused if the file is missing, not audio, or longer than the limit', async () => {
      const why = (sound: object) => refusalOf(gather({ sound }));
      expect(await why(uploaded('odd.ogg', png))).toEqual({ key: 'refusals.audioNotSupported' });
      expect(await why(given('gone.ogg', `${discord.origin}/gone`))).toEqual({
        key: 'refusals.documentGone',
        name: 'gone.ogg',
      });
      expect((await why(uploaded('long.wav', silence(301)))).key).toBe('refusals.audioTooLong');
      expect(await why(uploaded('large.ogg', Buffer.alloc(21 * MB + 1)))).toMatchObject({ name: 'large.ogg' });
    });

    it('The audio of a request releases its memory whether it is accepted or refused', async () => {
      for (let turn = 0; turn < 3; turn++) {
        await gather({ sound: uploaded('a.ogg', Buffer.concat([await recorded(), Buffer.alloc(15 * MB)])) });
        await refusalOf(gather({ sound: uploaded('b.ogg', Buffer.alloc(15 * MB)) }));
      }
      expect((await gather({ pictures: [uploaded('a.png', png)] })).images).toHaveLength(1);
    });
  });
});

/** A silent WAV with eight bits per sample and few samples. */
function silence(seconds: number, rate = 8_000): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + seconds * rate, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(seconds * rate, 40);
  return Buffer.concat([head, Buffer.alloc(seconds * rate, 0x80)]);
}
