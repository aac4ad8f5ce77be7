import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import { type Media, openMedia } from '../../../../src/services/media/media.ts';
import { createGatherer } from '../../../../src/services/orders/gatherer.ts';
import type { GatherContext, Materials, Reference } from '../../../../src/services/tasks/materials.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { mediaProcess } from '../../../support/media-process.ts';
import { plainLog } from '../../../support/plain-log.ts';
import { openRealAudio } from '../../../support/sounds.ts';
import { type FileHost, file, openFileHost, redirect } from '../../media/file-host.ts';
import { noise, withExtraBytes } from '../../media/images.ts';

const MB = 1_000_000;
const MINUTE_MS = 60_000;
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
  /** Whether the gateway cannot fetch a URL. */
  let isUnreachable: (url: string) => boolean;
  /** Uploads an image to the gateway, which stores no uploads by default. */
  let upload: (image: string) => Promise<string | undefined>;
  let gather: (references: Reference[], context?: Partial<GatherContext>) => Promise<Materials>;

  beforeEach(async () => {
    [gateway, discord, thirdPartyHost] = await Promise.all([openFileHost(), openFileHost(), openFileHost()]);
    clock = new ManualClock();
    png = await noise(40, 30).png().toBuffer();
    isUnreachable = () => false;
    upload = async () => undefined;
    const settings = {
      gatewayOrigin: gateway.origin,
      apiKey: 'sk-secret-of-the-gateway',
      allowPrivate: false,
      extraOrigins: [discord.origin],
    };
    // The limits allow only one file of the maximum size, so that memory that is not released is noticed immediately.
    media = openMedia(
      settings,
      { clock, log: { warn: () => undefined }, process: mediaProcess },
      { memberFilesBytes: 30 * MB, fileBytes: 30 * MB },
    );
    const isReachable = async (url: string) => !isUnreachable(url);
    const gatherFiles = createGatherer({
      media,
      sounds: openRealAudio(),
      clock,
      canReach: isReachable,
      upload: (image) => upload(image),
      log: plainLog(),
    });
    gather = (references, context) =>
      gatherFiles({ references }, { memberId: 'member', timeLimitMs: 5 * MINUTE_MS, ...context });
  });
  afterEach(async () => {
    await media.close();
    await Promise.all([gateway.close(), discord.close(), thirdPartyHost.close()]);
  });

  const referenceTo = (name: string, url: string, overrides: Partial<Reference> = {}): Reference => ({
    name,
    address: url,
    medium: 'image',
    takes: 'address',
    ...overrides,
  });
  const fileReference = (name: string, bytes: Buffer, overrides: Partial<Reference> = {}) =>
    referenceTo(name, discord.on(`/${name}`, file(bytes)), overrides);
  const attachmentReference = (name: string, bytes: Buffer, expiresAt: number, overrides: Partial<Reference> = {}) => {
    const url = discord.on(`/attachments/1/2/${name}`, file(bytes));
    return referenceTo(name, `${url}?ex=${Math.floor(expiresAt / 1_000).toString(16)}&is=1&hm=ab&`, overrides);
  };

  async function refusalFor(...args: Parameters<typeof gather>) {
    const error = await gather(...args).then(
      () => new Error('Nothing was refused.'),
      (reason: unknown) => reason,
    );
    if (!(error instanceof Refusal)) throw error;
    return { key: error.key, ...error.variables };
  }

  it('The references of a request are sent as unchanged URLs, in order, once each file has been examined', async () => {
    const allReferences = [
      fileReference('a.png', png),
      fileReference('b.mp3', mp3, { medium: 'audio' }),
      attachmentReference('c.png', png, clock.now() + 60 * MINUTE_MS),
      fileReference('d.mp4', mp4, { medium: 'video' }),
      fileReference('e.png', png, { takes: 'address or data' }),
    ];
    const { references, images } = await gather(allReferences);
    expect(references).toEqual(allReferences.map(({ medium, address }) => ({ medium, uri: address })));
    expect(images).toBeUndefined();
    expect(discord.requests).toHaveLength(5);
    for (const { headers } of discord.requests) expect(headers).not.toHaveProperty('authorization');
  });

  it('A request may have seven large reference files, because the memory of each file is released', {
    tags: ['breadth'],
  }, async () => {
    const largeImage = fileReference('large.png', withExtraBytes(png, 12 * MB));
    expect((await gather(Array.from({ length: 7 }, () => largeImage))).references).toHaveLength(7);
    await refusalFor([fileReference('odd.png', Buffer.concat([png.subarray(0, 33), Buffer.alloc(19 * MB)]))]);
    expect(
      (await gather([fileReference('video.mp4', Buffer.concat([mp4, freeBox(25 * MB)]), { medium: 'video' })]))
        .references,
    ).toHaveLength(1);
  });

  it('A reference whose file is invalid, missing or too large is refused, and the refusal contains its name', async () => {
    const executable = Buffer.concat([Buffer.from('MZ\x90\0\x03', 'latin1'), Buffer.alloc(4_096)]);
    const hugeImage = blackImage(10_000, 10_000);
    const invalidKey = 'refusals.imageInvalid';
    for (const [reference, refusal] of [
      [fileReference('setup.png', executable), { key: invalidKey, name: 'setup.png' }],
      [fileReference('nothing.png', Buffer.alloc(0)), { key: invalidKey, name: 'nothing.png' }],
      [fileReference('page.png', Buffer.from('<!doctype html><html></html>')), { key: invalidKey, name: 'page.png' }],
      [fileReference('half.png', png.subarray(0, png.length / 2)), { key: invalidKey, name: 'half.png' }],
      [fileReference('video.png', mp4), { key: invalidKey, name: 'video.png' }],
      [fileReference('vast.png', hugeImage), { key: 'refusals.imageTooLarge', name: 'vast.png', megabytes: 20 }],
      [
        fileReference('heavy.png', withExtraBytes(png, 21 * MB)),
        { key: 'refusals.imageTooLarge', name: 'heavy.png', megabytes: 20 },
      ],
      [fileReference('a.mp4', png, { medium: 'video' }), { key: 'refusals.videoInvalid', name: 'a.mp4' }],
      [fileReference('b.mp3', mp4, { medium: 'audio' }), { key: 'refusals.audioInvalid', name: 'b.mp3' }],
      [referenceTo('gone.png', `${discord.origin}/gone`), { key: 'refusals.imageGone', name: 'gone.png' }],
    ] as const) {
      expect(await refusalFor([fileReference('good.png', png), reference])).toEqual(refusal);
    }
  });

  it('Images are always uploaded, or always sent as data, if the operator has configured it', async () => {
    upload = async () => 'https://files.example/1.png';
    const valueFor = async (transfer: GatherContext['transfer']) =>
      (await gather([fileReference('a.png', png)], { transfer })).references?.[0]?.uri;
    expect(await valueFor('address')).toBe(`${discord.origin}/a.png`);
    expect(await valueFor('upload')).toBe('https://files.example/1.png');
    expect(await valueFor('base64')).toMatch(/^data:image\/png;base64,/);
  });

  describe('with URLs that the gateway cannot reach', () => {
    beforeEach(() => {
      isUnreachable = (url) => !url.includes('public');
    });

    it('References that the gateway cannot reach are sent as data if the model accepts images as data', async () => {
      const publicReference = fileReference('public.png', png, { takes: 'address or data' });
      const { references = [] } = await gather([
        publicReference,
        fileReference('own.png', png, { takes: 'address or data' }),
      ]);
      expect(references[0]?.uri).toBe(publicReference.address);
      expect(bytesOf(references[1]?.uri).equals(png)).toBe(true);
      expect(references[1]?.uri).toMatch(/^data:image\/png;base64,/);
    });

    it('References that the gateway cannot reach are refused if the model only accepts URLs and the gateway does not store uploads', async () => {
      const expiresAt = clock.now() + 60 * MINUTE_MS;
      expect(await refusalFor([fileReference('own.png', png)])).toEqual({
        key: 'refusals.referenceNotPublic',
        name: 'own.png',
      });
      expect(await refusalFor([attachmentReference('up.png', png, expiresAt)])).toEqual({
        key: 'refusals.referenceUnreachable',
        name: 'up.png',
      });
      const video = fileReference('video.mp4', mp4, { medium: 'video', takes: 'address or data' });
      const requestCount = discord.requests.length;
      expect(await refusalFor([video])).toEqual({ key: 'refusals.referenceNotPublic', name: 'video.mp4' });
      expect(discord.requests).toHaveLength(requestCount);
    });

    it('An image that the gateway cannot reach or whose URL expires too soon is uploaded if the model only accepts URLs', async () => {
      const uploads: string[] = [];
      upload = async (image) => `https://files.example/${uploads.push(image)}.png`;
      const expiringReference = attachmentReference('public.png', png, clock.now() + MINUTE_MS);
      const { references = [] } = await gather([
        fileReference('own.png', png),
        expiringReference,
        fileReference('public-2.png', png),
      ]);
      expect(references.map(({ uri }) => uri)).toEqual([
        'https://files.example/1.png',
        'https://files.example/2.png',
        `${discord.origin}/public-2.png`,
      ]);
      expect(uploads.map((image) => bytesOf(image).equals(png))).toEqual([true, true]);
    });

    it.each(['not-offered', 'not-found', 'malformed'] as const)(
      'A gateway whose upload endpoint responds with %s is treated as not supporting uploads',
      async (kind) => {
        upload = () => Promise.reject(new GatewayError('No uploads.', { kind }));
        expect(await refusalFor([fileReference('own.png', png)])).toEqual({
          key: 'refusals.referenceNotPublic',
          name: 'own.png',
        });
        const transfer = { transfer: 'upload' } as const;
        expect(await refusalFor([fileReference('public.png', png)], transfer)).toEqual({
          key: 'refusals.uploadsNotSupported',
        });
      },
    );

    it('After a failed upload the order counts as not sent, because nothing was submitted', async () => {
      upload = () => Promise.reject(new GatewayError('Try later.', { kind: 'unavailable', mayHaveTakenEffect: true }));
      const pending = gather([fileReference('own.png', png)]);
      await expect(pending).rejects.toMatchObject({ kind: 'unavailable', mayHaveTakenEffect: false });
    });

    it('References that the gateway cannot reach are sent as data only up to the size limit of a request', {
      tags: ['breadth'],
    }, async () => {
      const bytes = await noise(2_160, 2_160).png({ compressionLevel: 0 }).toBuffer();
      const largeImage = fileReference('large.png', bytes, { takes: 'address or data' });
      expect((await gather([largeImage, largeImage])).references).toHaveLength(2);
      expect(await refusalFor([largeImage, largeImage, largeImage])).toEqual({
        key: 'refusals.imagesTooLarge',
        megabytes: 40,
      });
    });

    it('References are not fetched from a private network, not even after a redirect', async () => {
      const secretUrl = thirdPartyHost.on('/secret.png', file(png));
      const directReference = referenceTo('direct.png', secretUrl, { takes: 'address or data' });
      const redirectedReference = referenceTo('round.png', discord.on('/public', redirect(secretUrl)));
      expect(await refusalFor([directReference])).toEqual({ key: 'refusals.referenceNotPublic', name: 'direct.png' });
      expect(await refusalFor([redirectedReference])).toEqual({
        key: 'refusals.referenceNotPublic',
        name: 'round.png',
      });
      expect(thirdPartyHost.requests).toEqual([]);
    });
  });

  describe('with Discord URLs that expire', () => {
    it('Discord URLs are accepted if they remain valid for as long as the gateway may need them', async () => {
      const justValidReference = attachmentReference(
        'exact.png',
        png,
        Math.ceil((clock.now() + 5 * MINUTE_MS) / 1_000) * 1_000,
      );
      expect((await gather([justValidReference])).references).toHaveLength(1);
      expect(await refusalFor([justValidReference], { timeLimitMs: 15 * MINUTE_MS })).toEqual({
        key: 'refusals.referenceExpiresSoon',
        name: 'exact.png',
        duration: 900,
        until: expect.any(Number),
      });
    });

    it('Expired Discord URLs are refused without a fetch', async () => {
      const expiredReference = attachmentReference('late.png', png, clock.now() - 60 * MINUTE_MS);
      expect(await refusalFor([expiredReference])).toMatchObject({
        key: 'refusals.referenceExpired',
        name: 'late.png',
      });
      expect(discord.requests).toEqual([]);
    });

    it('Discord URLs that expire soon are accepted if the image is sent as data', async () => {
      isUnreachable = () => true;
      const expiringReference = attachmentReference('short.png', png, clock.now() + MINUTE_MS, {
        takes: 'address or data',
      });
      expect((await gather([expiringReference])).references?.[0]?.uri).toMatch(/^data:/);
    });
  });

  describe('after the gateway refused the order as too large', { tags: ['breadth'] }, () => {
    it('After the gateway refused the order as too large, references sent as data are shrunk and those sent as URLs stay unchanged', async () => {
      isUnreachable = (url) => !url.includes('public');
      const largeBytes = await noise(2_400, 1_800).png().toBuffer();
      expect(largeBytes.length).toBeGreaterThan(8 * MB);
      const publicReference = fileReference('public.png', largeBytes, { takes: 'address or data' });
      const privateReference = fileReference('own.png', largeBytes, { takes: 'address or data' });
      const smallReference = fileReference('small.png', await noise(400, 300).png().toBuffer(), {
        takes: 'address or data',
      });
      const tinyReference = fileReference('tiny.png', png, { takes: 'address or data' });
      const { references = [] } = await gather([publicReference, privateReference, smallReference, tinyReference], {
        shouldShrink: true,
      });
      expect(references[0]?.uri).toBe(publicReference.address);
      expect(bytesOf(references[1]?.uri).length).toBeLessThanOrEqual(2 * MB);
      expect(await sharp(bytesOf(references[1]?.uri)).metadata()).toMatchObject({ format: 'jpeg' });
      // The images were too large together, so even this small one is reduced to half its size.
      expect(bytesOf(references[2]?.uri).length).toBeLessThanOrEqual(180_000);
      expect(bytesOf(references[3]?.uri).equals(png)).toBe(true);
    });
  });
});

const bytesOf = (dataUri = ''): Buffer => Buffer.from(dataUri.split(',')[1] ?? '', 'base64');

/** A black PNG with one bit per pixel, so that a large image takes very few bytes. */
function blackImage(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  const chunk = (name: string, content: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
    const lengthAndChecksum = Buffer.alloc(8);
    lengthAndChecksum.writeUInt32BE(content.length, 0);
    lengthAndChecksum.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([lengthAndChecksum.subarray(0, 4), body, lengthAndChecksum.subarray(4)]);
  };
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    ...[chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))],
  ]);
}

/** An unused MP4 box of this length, which makes a video larger. */
function freeBox(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32BE(length, 0);
  bytes.write('free', 4, 'latin1');
  return bytes;
}
