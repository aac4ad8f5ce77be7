import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { imageSize } from '../../../sandbox/discord/image-size.ts';

const plainImage = (channels: 3 | 4) =>
  sharp({ create: { width: 321, height: 123, channels, background: { r: 9, g: 99, b: 199, alpha: 0.5 } } });

describe('Reading the size of an image', () => {
  it.each([
    ['PNG', () => plainImage(4).png()],
    ['JPEG', () => plainImage(3).jpeg()],
    ['lossy WebP', () => plainImage(3).webp()],
    ['lossless WebP', () => plainImage(4).webp({ lossless: true })],
    ['transparent WebP', () => plainImage(4).webp()],
  ])('The size is read from the header of a %s', async (_, image) => {
    expect(imageSize(await image().toBuffer())).toEqual({ width: 321, height: 123 });
  });

  it('A file that is not an image has no size', () => {
    for (const text of ['', 'RIFF', 'RIFFxxxxWEBPVP8 ', '<html></html>']) {
      expect(imageSize(Buffer.from(text))).toBeUndefined();
    }
  });
});
