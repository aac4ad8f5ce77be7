import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/lib/refusal.ts';
import { GatewayError } from '../../../src/services/gateway/index.ts';
import { createGatherer } from '../../../src/services/inputs/inputs.ts';
import { type Media, openMedia } from '../../../src/services/media/index.ts';
import type { GatherContext, Materials, Reference } from '../../../src/services/tasks/materials.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { realSounds } from '../../support/sounds.ts';
import { type FileHost, file, openFileHost, redirect } from '../media/file-host.ts';
import { noise, withExtraBytes } from '../media/images.ts';

const MB = 1_000_000;
const minute = 60_000;
const mp3 = Buffer.concat(
  Array.from({ length: 4 }, () => Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)])),
);
const mp4 = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavc1\0\0\0\x08moov', 'latin1');

describe('The references of a request', () => {
  let gateway: FileHost;
  /** A trusted host, like the embedded Discord. */
  let discord: FileHost;
  let thirdPartyHost: FileHost;
  let media: Media;
  let clock: ManualClock;
  let png: Buffer;
  /** URLs that the gateway cannot fetch. */
  let outOfReach: (url: string) => boolean;
  /** By default the gateway stores no uploads. */
  let upload: (image: string) => Promise<string | undefined>;
  let gather: (references: Reference[], context?: Partial<GatherContext>) => Promise<Materials>;

  beforeEach(async () => {
    [gateway, discord, thirdPartyHost] = await Promise.all([openFileHost(), openFileHost(), openFileHost()]);
    clock = new ManualClock();
    png = await noise(40, 30).png().toBuffer();
    outOfReach = () => false;
    upload = async () => undefined;
    const settings = {
      ...{ gatewayOrigin: gateway.origin, apiKey: 'sk-secret-of-the-gateway', allowPrivate: false },
      extraOrigins: [discord.origin],
    };
    // Room for a single file of the largest size, so memory that is not released is noticed immediately.
    media = openMedia(
      settings,
      { clock, log: { warn: () => undefined }, process: mediaProcess },
      { memberFilesBytes: 30 * MB, fileBytes: 30 * MB },
    );
    const reach = async (url: string) => !outOfReach(url);
    const gathered = createGatherer({
      media,
      sounds: realSounds(),
      clock,
      canReach: reach,
      upload: (image) => upload(image),
      log: { info: () => undefined },
    });
    gather = (references, context) =>
      gathered({ references }, { memberId: 'member', timeLimitMs: 5 * minute, ...context });
  });
  afterEach(async () => {
    await media.close();
    await Promise.all([gateway.close(), discord.close(), thirdPartyHost.close()]);
  });

  const named = (name: string, url: string, more: Partial<Reference> = {}): Reference => ({
    ...{ name, address: url, medium: 'image', takes: 'address' },
    ...more,
  });
  const at = (name: string, bytes: Buffer, more: Partial<Reference> = {}) =>
    named(name, discord.on(`/${name}`, file(bytes)), more);
  const uploaded = (name: string, bytes: Buffer, until: number, more: Partial<Reference> = {}) => {
    const url = discord.on(`/attachments/1/2/${name}`, file(bytes));
    return named(name, `${url}?ex=${Math.floor(until / 1_000).toString(16)}&is=1&hm=ab&`, more);
  };

  async function refusalFor(...given: Parameters<typeof gather>) {
    const error = await gather(...given).then(
      () => new Error('Nothing was refused.'),
      (reason: unknown) => reason,
    );
    if (!(error instanceof Refusal)) throw error;
    return { key: error.key, ...error.variables };
  }

  it('The references of a request are sent as unchanged URLs, in order, once each file has been examined', async () => {
    const all = [
      at('a.png', png),
      at('b.mp3', mp3, { medium: 'audio' }),
      uploaded('c.png', png, clock.now() + 60 * minute),
      at('d.mp4', mp4, { medium: 'video' }),
      at('e.png', png, { takes: 'address or data' }),
    ];
    const { references, images } = await gather(all);
    expect(references).toEqual(all.map(({ medium, address }) => ({ medium, given: address })));
    expect(images).toBeUndefined();
    expect(discord.requests).toHaveLength(5);
    for (const { headers } of discord.requests) expect(headers).not.toHaveProperty('authorization');
  });

  it('A request may have seven large reference files, whose memory is released', async () => {
    const large = at('large.png', withExtraBytes(png, 12 * MB));
    expect((await gather(Array.from({ length: 7 }, () => large))).references).toHaveLength(7);
    await refusalFor([at('odd.png', Buffer.concat([png.subarray(0, 33), Buffer.alloc(19 * MB)]))]);
    expect(
      (await gather([at('video.mp4', Buffer.concat([mp4, box(25 * MB)]), { medium: 'video' })])).references,
    ).toHaveLength(1);
  });

  it('The references of a request are refused by name if a file is invalid, missing or too large', async () => {
    const program = Buffer.concat([Buffer.from('MZ\x90\0\x03', 'latin1'), Buffer.alloc(4_096)]);
    const huge = black(10_000, 10_000);
    const odd = 'refusals.imageInvalid';
    for (const [given, refusal] of [
      [at('setup.png', program), { key: odd, name: 'setup.png' }],
      [at('nothing.png', Buffer.alloc(0)), { key: odd, name: 'nothing.png' }],
      [at('page.png', Buffer.from('<!doctype html><html></html>')), { key: odd, name: 'page.png' }],
      [at('half.png', png.subarray(0, png.length / 2)), { key: odd, name: 'half.png' }],
      [at('video.png', mp4), { key: odd, name: 'video.png' }],
      [at('vast.png', huge), { key: 'refusals.imageTooLarge', name: 'vast.png', max: '20 MB' }],
      [
        at('heavy.png', withExtraBytes(png, 21 * MB)),
        { key: 'refusals.imageTooLarge', name: 'heavy.png', max: '20 MB' },
      ],
      [at('a.mp4', png, { medium: 'video' }), { key: 'refusals.videoInvalid', name: 'a.mp4' }],
      [at('b.mp3', mp4, { medium: 'audio' }), { key: 'refusals.audioInvalid', name: 'b.mp3' }],
      [named('gone.png', `${discord.origin}/gone`), { key: 'refusals.imageGone', name: 'gone.png' }],
    ] as const) {
      expect(await refusalFor([at('good.png', png), given])).toEqual(refusal);
    }
  });

  it('Images are always uploaded, or always sent as data, if the operator has chosen that', async () => {
    upload = async () => 'https://files.example/1.png';
    const given = async (transfer: GatherContext['transfer']) =>
      (await gather([at('a.png', png)], { transfer })).references?.[0]?.given;
    expect(await given('address')).toBe(`${discord.origin}/a.png`);
    expect(await given('upload')).toBe('https://files.example/1.png');
    expect(await given('base64')).toMatch(/^data:image\/png;base64,/);
  });

  describe('with URLs that the gateway cannot reach', () => {
    beforeEach(() => {
      outOfReach = (url) => !url.includes('public');
    });

    it('References that the gateway cannot reach are sent as data if the model accepts images as data', async () => {
      const open = at('public.png', png, { takes: 'address or data' });
      const { references = [] } = await gather([open, at('own.png', png, { takes: 'address or data' })]);
      expect(references[0]?.given).toBe(open.address);
      expect(bytesOf(references[1]?.given).equals(png)).toBe(true);
      expect(references[1]?.given).toMatch(/^data:image\/png;base64,/);
    });

    it('References that the gateway cannot reach are refused if the model only accepts URLs and the gateway does not store uploads', async () => {
      const until = clock.now() + 60 * minute;
      expect(await refusalFor([at('own.png', png)])).toEqual({ key: 'refusals.referenceNotPublic', name: 'own.png' });
      expect(await refusalFor([uploaded('up.png', png, until)])).toEqual({
        key: 'refusals.referenceUnreachable',
        name: 'up.png',
      });
      const video = at('video.mp4', mp4, { medium: 'video', takes: 'address or data' });
      const before = discord.requests.length;
      expect(await refusalFor([video])).toEqual({ key: 'refusals.referenceNotPublic', name: 'video.mp4' });
      expect(discord.requests).toHaveLength(before);
    });

    it('An image that the gateway cannot reach or whose URL expires too soon is uploaded if the model only accepts URLs', async () => {
      const stored: string[] = [];
      upload = async (image) => `https://files.example/${stored.push(image)}.png`;
      const short = uploaded('public.png', png, clock.now() + minute);
      const { references = [] } = await gather([at('own.png', png), short, at('public-2.png', png)]);
      expect(references.map(({ given }) => given)).toEqual([
        'https://files.example/1.png',
        'https://files.example/2.png',
        `${discord.origin}/public-2.png`,
      ]);
      expect(stored.map((image) => bytesOf(image).equals(png))).toEqual([true, true]);
    });

    it.each(['not-offered', 'not-found', 'malformed'] as const)(
      'A gateway whose upload endpoint responds with %s is treated as not supporting uploads',
      async (kind) => {
        upload = () => Promise.reject(new GatewayError('No uploads.', { kind }));
        expect(await refusalFor([at('own.png', png)])).toEqual({ key: 'refusals.referenceNotPublic', name: 'own.png' });
        const transfer = { transfer: 'upload' } as const;
        expect(await refusalFor([at('public.png', png)], transfer)).toEqual({ key: 'refusals.uploadsNotSupported' });
      },
    );

    it('After a failed upload the order counts as not sent, because nothing was submitted', async () => {
      upload = () => Promise.reject(new GatewayError('Try later.', { kind: 'unavailable', mayHaveTakenEffect: true }));
      const failed = gather([at('own.png', png)]);
      await expect(failed).rejects.toMatchObject({ kind: 'unavailable', mayHaveTakenEffect: false });
    });

    it('References that the gateway cannot reach are sent as data only up to the size of one request', async () => {
      const bytes = await noise(2_160, 2_160).png({ compressionLevel: 0 }).toBuffer();
      const large = at('large.png', bytes, { takes: 'address or data' });
      expect((await gather([large, large])).references).toHaveLength(2);
      expect(await refusalFor([large, large, large])).toEqual({ key: 'refusals.imagesTooLarge', max: '40 MB' });
    });

    it('References are not fetched from a private network, not even after a redirect', async () => {
      const secret = thirdPartyHost.on('/secret.png', file(png));
      const direct = named('direct.png', secret, { takes: 'address or data' });
      const viaRedirect = named('round.png', discord.on('/public', redirect(secret)));
      expect(await refusalFor([direct])).toEqual({ key: 'refusals.referenceNotPublic', name: 'direct.png' });
      expect(await refusalFor([viaRedirect])).toEqual({ key: 'refusals.referenceNotPublic', name: 'round.png' });
      expect(thirdPartyHost.requests).toEqual([]);
    });
  });

  describe('with Discord URLs that expire', () => {
    it('Discord URLs are accepted if they remain valid for as long as the gateway may need them', async () => {
      const exact = uploaded('exact.png', png, Math.ceil((clock.now() + 5 * minute) / 1_000) * 1_000);
      expect((await gather([exact])).references).toHaveLength(1);
      expect(await refusalFor([exact], { timeLimitMs: 15 * minute })).toEqual({
        ...{ key: 'refusals.referenceExpiresSoon', name: 'exact.png', minutes: '15' },
        until: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/),
      });
    });

    it('Expired Discord URLs are refused without a fetch', async () => {
      const late = uploaded('late.png', png, clock.now() - 60 * minute);
      expect(await refusalFor([late])).toMatchObject({ key: 'refusals.referenceExpired', name: 'late.png' });
      expect(discord.requests).toEqual([]);
    });

    it('Discord URLs may expire soon if the image is sent as data', async () => {
      outOfReach = () => true;
      const short = uploaded('short.png', png, clock.now() + minute, { takes: 'address or data' });
      expect((await gather([short])).references?.[0]?.given).toMatch(/^data:/);
    });
  });

  describe('after the gateway refused the order as too large', () => {
    it('After the gateway refused the order as too large, references sent as data are shrunk and those sent as URLs stay unchanged', async () => {
      outOfReach = (url) => !url.includes('public');
      const heavy = await noise(2_400, 1_800).png().toBuffer();
      expect(heavy.length).toBeGreaterThan(8 * MB);
      const open = at('public.png', heavy, { takes: 'address or data' });
      const own = at('own.png', heavy, { takes: 'address or data' });
      const small = at('small.png', await noise(400, 300).png().toBuffer(), { takes: 'address or data' });
      const tiny = at('tiny.png', png, { takes: 'address or data' });
      const { references = [] } = await gather([open, own, small, tiny], { isSmaller: true });
      expect(references[0]?.given).toBe(open.address);
      expect(bytesOf(references[1]?.given).length).toBeLessThanOrEqual(2 * MB);
      expect(await sharp(bytesOf(references[1]?.given)).metadata()).toMatchObject({ format: 'jpeg' });
      // The images were too large together, so even this small one is reduced to half its size.
      expect(bytesOf(references[2]?.given).length).toBeLessThanOrEqual(180_000);
      expect(bytesOf(references[3]?.given).equals(png)).toBe(true);
    });
  });
});

const bytesOf = (dataUri = ''): Buffer => Buffer.from(dataUri.split(',')[1] ?? '', 'base64');

/** A PNG with one bit per pixel: any pixel size in very few bytes. */
function black(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  const chunk = (name: string, content: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(content.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    ...[chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))],
  ]);
}

/** A long box at the end of a video. */
function box(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32BE(length, 0);
  bytes.write('free', 4, 'latin1');
  return bytes;
}
