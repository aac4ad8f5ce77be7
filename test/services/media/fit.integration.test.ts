import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWhole } from '../../../src/services/media/content.ts';
import type { MediaError } from '../../../src/services/media/errors.ts';
import type { FitResult } from '../../../src/services/media/images/fit.ts';
import { type Media, openMedia } from '../../../src/services/media/media.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { noise, withExtraBytes } from './images.ts';

const PNG_WIDTH_OFFSET = 16;

describe('Fitting a file into a size limit', () => {
  let media: Media;

  beforeEach(() => {
    media = openMedia(
      { gatewayOrigin: 'https://gateway.example', apiKey: 'sk-key', allowPrivate: false },
      { log: { warn: () => undefined }, process: mediaProcess },
    );
  });
  afterEach(() => media.close());

  async function fetchedFile(bytes: Buffer) {
    const fetched = await media.fetch({ base64: bytes.toString('base64') });
    return { bytes: await readWhole(fetched), type: fetched.type };
  }

  async function fitFile(bytes: Buffer, max: number) {
    const result: FitResult = await media.fit(await fetchedFile(bytes), max);
    if (result.how === 'none') throw new Error('The file does not fit.');
    expect(result.bytes.length).toBeLessThanOrEqual(max);
    return { ...result, facts: await media.imageFacts(result.bytes) };
  }

  it('A sufficiently small file is left unchanged', async () => {
    const png = await noise(50, 50).png().toBuffer();
    const result = await fitFile(png, png.length);
    expect(result.how).toBe('as-is');
    expect(result.bytes.equals(png)).toBe(true);
  });

  it('Metadata does not count towards the size limit of a file', async () => {
    const png = await noise(50, 50).png().toBuffer();
    expect((await fitFile(withExtraBytes(png, 100_000), png.length)).how).toBe('as-is');
  });

  it('The quality of an image that is too large is reduced first, and its pixel size is kept', async () => {
    const png = await noise(400, 300).blur(2).png().toBuffer();
    const result = await fitFile(png, Math.floor(png.length / 3));
    expect(result).toMatchObject({ how: 're-encoded', facts: { width: 400, height: 300 } });
    expect(result.type.mime).toBe('image/jpeg');
  });

  it('If lower quality is not enough, the pixel size of an image is reduced, but to no less than half of each side', async () => {
    const png = await noise(600, 400).png().toBuffer();
    const { how, facts } = await fitFile(png, Math.floor(png.length / 15));
    expect(how).toBe('re-encoded');
    expect(facts.width).toBeLessThan(600);
    expect(facts.width).toBeGreaterThanOrEqual(300);
    expect(facts.width / facts.height).toBeCloseTo(1.5, 1);
  });

  it('If a smaller pixel size is not enough, an image becomes a preview, and if no preview fits, there is no result', {
    tags: ['breadth'],
  }, async () => {
    const png = await noise(1_500, 1_000).png().toBuffer();
    const preview = await fitFile(png, 100_000);
    expect(preview).toMatchObject({ how: 'preview', type: { mime: 'image/jpeg' } });
    expect(preview.facts.width).toBeLessThanOrEqual(1_280);
    const source = await fetchedFile(png);
    expect(await media.fit(source, 500)).toEqual({ how: 'none' });
    expect(await media.fit(source, 0)).toEqual({ how: 'none' });
  });

  it('An image that is made smaller stays transparent', async () => {
    const png = await noise(300, 300, 4).png().toBuffer();
    const { how, type, bytes } = await fitFile(png, Math.floor(png.length / 2));
    expect({ how, mime: type.mime }).toEqual({ how: 're-encoded', mime: 'image/webp' });
    expect((await sharp(bytes).metadata()).hasAlpha).toBe(true);
  });

  it('An animation that is made smaller stays animated at its original speed for as long as possible', {
    tags: ['breadth'],
  }, async () => {
    const still = noise(144, 144);
    const hues = Array.from({ length: 12 }, (_, index) =>
      still
        .clone()
        .modulate({ hue: index * 30 })
        .raw()
        .toBuffer(),
    );
    const delay = hues.map((_, index) => 40 + index * 20);
    const raw = { width: 144, height: 144 * hues.length, channels: 3, pageHeight: 144 } as const;
    const pages = sharp(Buffer.concat(await Promise.all(hues)), { raw });
    for (const bytes of [
      await pages.clone().gif({ delay }).toBuffer(),
      await pages.clone().webp({ delay, quality: 100 }).toBuffer(),
    ]) {
      for (const divisor of [2, 8]) {
        const { how, type, facts, bytes: result } = await fitFile(bytes, Math.floor(bytes.length / divisor));
        expect({ how, mime: type.mime, frames: facts.frames }).toEqual({
          how: 're-encoded',
          mime: 'image/webp',
          frames: 12,
        });
        expect((await sharp(result).metadata()).delay).toEqual(delay);
      }
      const preview = await fitFile(bytes, 14_000);
      expect({ how: preview.how, frames: preview.facts.frames }).toEqual({ how: 'preview', frames: 1 });
    }
  });

  it('The preview of an animated PNG shows its first frame, because the animation cannot be decoded', async () => {
    const png = await noise(300, 300).png().toBuffer();
    const control = Buffer.alloc(20);
    control.writeUInt32BE(8, 0);
    control.write('acTL', 4, 'latin1');
    const animated = Buffer.concat([png.subarray(0, 33), control, png.subarray(33)]);
    expect((await fitFile(animated, animated.length)).how).toBe('as-is');
    expect((await fitFile(animated, 100_000)).how).toBe('preview');
  });

  it('An image that is made smaller is rotated upright', async () => {
    const jpeg = await noise(600, 400).jpeg({ quality: 100 }).withMetadata({ orientation: 6 }).toBuffer();
    const { facts } = await fitFile(jpeg, Math.floor(jpeg.length / 2));
    expect(facts.width).toBeLessThan(facts.height);
    expect((await fitFile(jpeg, 40_000)).facts).toMatchObject({ frames: 1 });
  });

  it('Colours of another colour profile are converted to sRGB instead of being distorted', {
    tags: ['breadth'],
  }, async () => {
    const green = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#00ff00' } })
      .withIccProfile('p3')
      .png()
      .toBuffer();
    const largePng = await sharp(await noise(900, 900).png().toBuffer())
      .composite([{ input: await sharp(green).png().toBuffer(), top: 0, left: 0 }])
      .withIccProfile('p3')
      .png()
      .toBuffer();
    const { bytes, how } = await fitFile(largePng, Math.floor(largePng.length / 3));
    expect(how).toBe('re-encoded');
    const expected = await sharp(largePng)
      .extract({ left: 50, top: 50, width: 1, height: 1 })
      .toColourspace('srgb')
      .raw()
      .toBuffer();
    const actual = await sharp(bytes).extract({ left: 50, top: 50, width: 1, height: 1 }).raw().toBuffer();
    for (const channel of [0, 1, 2])
      expect(Math.abs((actual[channel] ?? 0) - (expected[channel] ?? 0))).toBeLessThan(12);
  });

  it('A video is returned unchanged, or refused if it is too large', async () => {
    const video = { bytes: Buffer.alloc(1_000), type: { kind: 'video', mime: 'video/mp4', extension: 'mp4' } } as const;
    expect(await media.fit(video, 1_000)).toMatchObject({ how: 'as-is', bytes: video.bytes });
    expect(await media.fit(video, 999)).toEqual({ how: 'none' });
  });

  it('A decompression bomb is refused because of its claimed size, before anything is decoded', async () => {
    const dot = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    dot.writeUInt32BE(60_000, PNG_WIDTH_OFFSET);
    dot.writeUInt32BE(60_000, PNG_WIDTH_OFFSET + 4);
    const { crc32 } = await import('node:zlib');
    dot.writeUInt32BE(crc32(dot.subarray(12, 29)), 29);
    const memoryBefore = process.memoryUsage().rss;
    await expect(media.fit(await fetchedFile(dot), 10_000_000)).rejects.toMatchObject({ kind: 'too-large' });
    await expect(media.checkImage(dot)).rejects.toMatchObject({ kind: 'too-large' });
    await expect(media.imageFacts(dot)).rejects.toMatchObject({ kind: 'too-large' });
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(500_000_000);
  });

  it('Every frame of an animation counts towards the pixel limit', async () => {
    const pixels = Buffer.alloc(100 * 100 * 3 * 5, 7).map((_, index) => index % 251);
    const gif = await sharp(pixels, { raw: { width: 100, height: 500, channels: 3, pageHeight: 100 } })
      .gif()
      .toBuffer();
    const limitedMedia = openMedia(
      { gatewayOrigin: 'https://gateway.example', apiKey: 'sk-key', allowPrivate: false },
      { log: { warn: () => undefined }, process: mediaProcess },
      { pixels: 40_000 },
    );
    await expect(limitedMedia.fit(await fetchedFile(gif), 10)).rejects.toMatchObject({ kind: 'too-large' });
    await limitedMedia.close();
  });

  it('A damaged image is reported as damaged, and the next image is processed as usual', async () => {
    const png = await noise(300, 300).png().toBuffer();
    const truncated = await fetchedFile(png.subarray(0, png.length / 2));
    await expect(media.fit(truncated, 10_000_000)).rejects.toMatchObject({ kind: 'damaged' });
    await expect(media.fit(truncated, 1_000)).rejects.toMatchObject({ kind: 'damaged' });
    expect((await fitFile(png, png.length)).how).toBe('as-is');
  });

  it('Closing the service aborts the work on a file, and every waiting caller receives an error', {
    tags: ['breadth'],
  }, async () => {
    const source = await fetchedFile(await noise(1_500, 1_500).png().toBuffer());
    const controller = new AbortController();
    const outcomes = Promise.allSettled([
      media.fit(source, 500_000, { signal: controller.signal }),
      media.fit(source, 500_000),
      media.fit(source, 500_000),
    ]);
    controller.abort();
    await media.close();
    const codes = (await outcomes).map((one) =>
      one.status === 'rejected' ? (one.reason as MediaError).code : 'fitted',
    );
    expect(codes).toEqual(['aborted', 'closed', 'closed']);
  });
});
