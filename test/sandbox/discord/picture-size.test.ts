import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pictureSize } from '../../../sandbox/discord/picture-size.ts';

const plain = (channels: 3 | 4) =>
  sharp({ create: { width: 321, height: 123, channels, background: { r: 9, g: 99, b: 199, alpha: 0.5 } } });

describe('the size of a picture', () => {
  it.each([
    ['PNG', () => plain(4).png()],
    ['JPEG', () => plain(3).jpeg()],
    ['lossy WebP', () => plain(3).webp()],
    ['lossless WebP', () => plain(4).webp({ lossless: true })],
    ['WebP that can be seen through', () => plain(4).webp()],
  ])('is read from the head of a %s', async (_, picture) => {
    expect(pictureSize(await picture().toBuffer())).toEqual({ width: 321, height: 123 });
  });

  it('is not known of anything else', () => {
    for (const text of ['', 'RIFF', 'RIFFxxxxWEBPVP8 ', '<html></html>']) {
      expect(pictureSize(Buffer.from(text))).toBeUndefined();
    }
  });
});
