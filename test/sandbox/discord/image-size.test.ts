import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { imageSize } from '../../../sandbox/discord/image-size.ts';

const plain = (channels: 3 | 4) =>
  sharp({ create: { width: 321, height: 123, channels, background: { r: 9, g: 99, b: 199, alpha: 0.5 } } });

describe('Reading the size of an image', () => {
  it.each([
    ['PNG', () => plain(4).png()],
    ['JPEG', () => plain(3).jpeg()],
    ['lossy WebP', () => plain(3).webp()],
    ['lossless WebP', () => plain(4).webp({ lossless: true })],
    ['transparent WebP', () => plain(4).webp()],
  ])('The size is read from the header of a %s', async (_, image) => {
    expect(imageSize(await image().toBuffer())).toEqual({ width: 321, height: 123 });
  });

  it('Other files have no size', () => {
    for (const text of ['', 'RIFF', 'RIFFxxxxWEBPVP8 ', '<html></html>']) {
      expect(imageSize(Buffer.from(text))).toBeUndefined();
    }
  });
});
