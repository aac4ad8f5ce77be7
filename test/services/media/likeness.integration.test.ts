import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drawImage } from '../../../sandbox/gateway/studio/image.ts';
import { sceneOf } from '../../../sandbox/gateway/studio/index.ts';
import { memoryContent } from '../../../src/services/media/content.ts';
import { MAX_DIFFERENT_BITS } from '../../../src/services/media/fingerprint.ts';
import { examineImage, ImageEditor } from '../../../src/services/media/images/image-editor.ts';
import { perceptualHash } from '../../../src/services/media/images/perceptual-hash.ts';
import { openMedia } from '../../../src/services/media/media.ts';
import { mediaTypes } from '../../../src/services/media/media-types.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { itVariants } from '../../support/variants.ts';

const editor = new ImageEditor(10_000_000, async () => () => undefined);
const hashImage = async (bytes: Buffer) => perceptualHash(await examineImage(bytes, 10_000_000), editor);
const side = 256;
const prompts = ['a fox in the snow', 'a city at night', 'waves on a beach', 'a bowl of fruit', 'a castle', 'the moon'];

const images = Promise.all(
  prompts.flatMap((prompt, index) =>
    [1, 2, 3].map(async (seed) => {
      const { bytes } = await drawImage(sceneOf(prompt, seed * 97 + index), { width: side, height: side });
      return { bytes, likeness: await hashImage(bytes) };
    }),
  ),
);

function bitsBetween(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) throw new Error('An image has no perceptual hash.');
  return (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length;
}

const crop = (image: Sharp, margin: number): Sharp =>
  image.extract({ left: margin, top: margin, width: side - 2 * margin, height: side - 2 * margin });

describe('The perceptual hash of an image', () => {
  itVariants([
    ['saved as a JPEG with quality 70', 1, (image: Sharp) => image.jpeg({ quality: 70 })],
    ['scaled down to half', 1, (image: Sharp) => image.resize(side / 2).png()],
    ['scaled down to a quarter and saved as WebP', 1, (image: Sharp) => image.resize(side / 4).webp({ quality: 60 })],
    ['saved with 16 bits', 1, (image: Sharp) => image.toColourspace('rgb16').png()],
    ['stripped of its colours', 1, (image: Sharp) => image.greyscale().png()],
    // In a measurement with 240 images, 88% matched.
    ['cropped by 1% on each side', 0.7, (image: Sharp) => crop(image, 3).jpeg({ quality: 80 })],
  ] as const)(
    'The perceptual hash of an image still matches after the image was %s',
    async (_how, minShare, change) => {
      const matches = await Promise.all(
        (await images).map(async ({ bytes, likeness }) => {
          const other = await hashImage(await change(sharp(bytes)).toBuffer());
          return bitsBetween(likeness, other) <= MAX_DIFFERENT_BITS;
        }),
      );
      expect(matches.filter(Boolean).length / matches.length).toBeGreaterThanOrEqual(minShare);
    },
  );

  it('The perceptual hashes of different images differ, even if the images come from the same prompt', async () => {
    const all = await images;
    const different = all.flatMap((one, index) =>
      all.slice(0, index).map((other) => bitsBetween(one.likeness, other.likeness)),
    );
    expect(different).toHaveLength((all.length * (all.length - 1)) / 2);
    expect(Math.min(...different)).toBeGreaterThan(MAX_DIFFERENT_BITS);
  });

  it('The perceptual hash of an image is computed from the image as it is displayed', async () => {
    const [first] = await images;
    const bytes = await sharp(first?.bytes).png().toBuffer();
    const rotated = await sharp(bytes).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(
      bitsBetween(await hashImage(rotated), await hashImage(await sharp(bytes).rotate(90).png().toBuffer())),
    ).toBeLessThanOrEqual(2);
  });

  it('An image of a single colour has no perceptual hash', async () => {
    for (const background of ['red', '#fff', { r: 0, g: 0, b: 0, alpha: 0 }])
      expect(
        await hashImage(
          await sharp({ create: { width: 9, height: 9, channels: 4, background } })
            .png()
            .toBuffer(),
        ),
      ).toBeUndefined();
  });

  it('A damaged image is only recognised by its bytes', async () => {
    const media = openMedia(
      { gatewayOrigin: 'https://gateway.example', apiKey: 'sk-key', allowPrivate: false },
      { log: { warn: () => undefined }, process: mediaProcess },
    );
    onTestFinished(() => media.close());
    const bytes = await sharp(randomBytes(64 * 64 * 3), { raw: { width: 64, height: 64, channels: 3 } })
      .png()
      .toBuffer();
    const fingerprint = (file: Buffer) => media.fingerprint({ ...memoryContent(file), type: mediaTypes.png });
    expect(await fingerprint(bytes)).toMatchObject({ likeness: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(await fingerprint(bytes.subarray(0, 4_000))).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
