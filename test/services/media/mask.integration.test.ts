import sharp, { type Sharp } from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maskOf } from '../../../sandbox/gateway/reference-fetcher.ts';
import { type Media, openMedia } from '../../../src/services/media/media.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { itVariants } from '../../support/variants.ts';
import { noise } from './images.ts';

type Colour = string | { r: number; g: number; b: number; alpha: number };

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };
const SIZE = { width: 120, height: 80 };
/** The masked area of every drawing in this file. */
const MASKED_AREA = { left: 20, top: 10, width: 40, height: 30 };

const canvas = (background: Colour, size: { width: number; height: number } = SIZE): Sharp =>
  sharp({ create: { ...size, channels: 4, background } });

/** Paints the area in one colour on a canvas of another. */
const paintArea = async (colour: Colour, background: Colour): Promise<Sharp> =>
  canvas(background).composite([
    { input: await canvas(colour, MASKED_AREA).png().toBuffer(), left: MASKED_AREA.left, top: MASKED_AREA.top },
  ]);

/** Erases the area from an image. */
const eraseArea = async (image: Sharp): Promise<Sharp> =>
  sharp(await image.ensureAlpha().png().toBuffer()).composite([
    {
      input: await canvas('black', MASKED_AREA).png().toBuffer(),
      left: MASKED_AREA.left,
      top: MASKED_AREA.top,
      blend: 'dest-out',
    },
  ]);

/** Returns the white area of a mask; fails if the mask has any shade other than black and white. */
async function whiteArea(mask: Buffer) {
  const { data, info } = await sharp(mask).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  expect((await sharp(mask).metadata()).channels).toBe(1);
  expect(new Set(data)).toEqual(new Set([0, 255]));
  const xs: number[] = [];
  const ys: number[] = [];
  for (const [index, shade] of data.entries()) {
    if (shade === 0) continue;
    xs.push(index % info.width);
    ys.push(Math.floor(index / info.width));
  }
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  const box = { left, top, width: Math.max(...xs) - left + 1, height: Math.max(...ys) - top + 1 };
  return { size: { width: info.width, height: info.height }, box, isFull: xs.length === box.width * box.height };
}

describe('A mask', () => {
  let media: Media;
  beforeEach(() => {
    media = openMedia(
      { gatewayOrigin: 'https://gateway.example', apiKey: 'sk-key', allowPrivate: false },
      { log: { warn: () => undefined }, process: mediaProcess },
      { pixels: 1_000_000 },
    );
  });
  afterEach(() => media.close());

  describe('of a side', () => {
    it.each([
      ['left', { left: 0, top: 0, width: 50, height: 61 }],
      ['right', { left: 50, top: 0, width: 50, height: 61 }],
      ['top', { left: 0, top: 0, width: 100, height: 31 }],
      ['bottom', { left: 0, top: 30, width: 100, height: 31 }],
      ['centre', { left: 20, top: 12, width: 60, height: 37 }],
    ] as const)('A side mask has the size of the image and is white only in this area: %s', async (side, box) => {
      const size = { width: 100, height: 61 };
      expect(await whiteArea(await media.createSideMask(side, size))).toEqual({ size, box, isFull: true });
    });

    it('A side mask is not drawn for more pixels than an image may have', async () => {
      await expect(media.createSideMask('left', { width: 1_001, height: 1_000 })).rejects.toMatchObject({
        kind: 'too-large',
      });
    });
  });

  describe('drawn by a member', () => {
    const readMask = async (drawing: Sharp) => {
      const mask = await media.readDrawnMask(await drawing.toBuffer());
      return mask.marks === 'a part' ? await whiteArea(mask.bytes) : mask.marks;
    };
    const expectedMask = { size: SIZE, box: MASKED_AREA, isFull: true };

    it.each([
      ['white on black', 'white', 'black'],
      ['yellow on dark blue', 'yellow', 'darkblue'],
      ['white strokes on a transparent layer', 'white', TRANSPARENT],
      ['red strokes on a transparent layer', 'red', TRANSPARENT],
      ['black strokes on a transparent layer', 'black', TRANSPARENT],
      ['a hole in a black canvas', TRANSPARENT, 'black'],
    ] as const)('A mask drawn by a member marks the intended area in %s', async (_what, colour, background) => {
      const drawing =
        colour === TRANSPARENT ? await eraseArea(canvas(background)) : await paintArea(colour, background);
      expect(await readMask(drawing.png())).toEqual(expectedMask);
    });

    itVariants(['png', 'webp', 'gif', 'avif'] as const)(
      'A mask drawn by a member marks the erased area of an image in %s',
      async (format) => {
        const drawing = (await eraseArea(noise(SIZE.width, SIZE.height))).toFormat(format, { lossless: true });
        expect(await readMask(drawing)).toEqual(expectedMask);
      },
    );

    it('A mask drawn by a member marks the surroundings if these were erased, because the remaining area is an image and not a stroke', async () => {
      const subject = await noise(MASKED_AREA.width, MASKED_AREA.height).png().toBuffer();
      const cutOut = canvas(TRANSPARENT).composite([{ input: subject, left: MASKED_AREA.left, top: MASKED_AREA.top }]);
      const mask = await media.readDrawnMask(await cutOut.png().toBuffer());
      if (mask.marks !== 'a part') throw new Error(mask.marks);
      const unmaskedArea = await sharp(mask.bytes).negate().extractChannel(0).png().toBuffer();
      expect(await whiteArea(unmaskedArea)).toEqual(expectedMask);
    });

    itVariants(['rgb16', 'grey16', 'b-w'] as const)(
      'A mask drawn by a member is read in the colour space %s',
      async (space) => {
        for (const drawing of [
          await paintArea('white', 'black'),
          await paintArea('white', TRANSPARENT),
          await eraseArea(canvas('gray')),
        ]) {
          const png = await drawing.png().toBuffer();
          expect(await readMask(sharp(png).toColourspace(space).png())).toEqual(expectedMask);
        }
      },
    );

    it('A mask drawn by a member tolerates the soft edges and the noise of a JPEG', async () => {
      const drawing = sharp(await (await paintArea('white', 'black')).png().toBuffer()).blur(2);
      const { box } = (await readMask(drawing.flatten().jpeg({ quality: 60 }))) as Awaited<
        ReturnType<typeof whiteArea>
      >;
      for (const [name, length] of Object.entries(MASKED_AREA)) {
        expect(Math.abs(box[name as keyof typeof MASKED_AREA] - length), name).toBeLessThanOrEqual(2);
      }
    });

    it('A mask drawn by a member is rotated upright like the image that it was drawn on', async () => {
      const drawing = sharp(await (await paintArea('white', 'black')).flatten().png().toBuffer());
      const { left, top, width, height } = MASKED_AREA;
      const box = { left: SIZE.height - top - height, top: left, width: height, height: width };
      const rotated = await readMask(drawing.jpeg({ quality: 100 }).withMetadata({ orientation: 6 }));
      expect(rotated).toEqual({ size: { width: SIZE.height, height: SIZE.width }, box, isFull: true });
    });

    it('A mask drawn by a member keeps a visible dot', { tags: ['breadth'] }, async () => {
      const dot = await canvas('white', { width: 12, height: 12 }).png().toBuffer();
      const size = { width: 1_200, height: 800 };
      const box = { left: 600, top: 400, width: 12, height: 12 };
      for (const background of ['black', TRANSPARENT]) {
        const drawing = canvas(background, size).composite([{ input: dot, left: 600, top: 400 }]);
        expect(await readMask(drawing.png())).toEqual({ size, box, isFull: true });
      }
    });

    it.each([
      ['nothing', 'a black sheet', canvas('black')],
      ['nothing', 'an empty layer', canvas(TRANSPARENT)],
      ['everything', 'a white sheet', canvas('white')],
      ['unclear', 'a photograph', noise(SIZE.width, SIZE.height)],
      ['unclear', 'a grey sheet', canvas('gray')],
    ])('A mask drawn by a member marks %s if it is %s', async (marks, _what, drawing) => {
      expect(await media.readDrawnMask(await drawing.png().toBuffer())).toEqual({ marks });
    });

    it.each([
      ['not-media', 'an SVG file', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['too-large', 'a decompression bomb', () => canvas('black', { width: 1_100, height: 1_000 }).png().toBuffer()],
      ['damaged', 'half a file', async () => (await noise(90, 90).png().toBuffer()).subarray(0, 9_000)],
    ])('A mask drawn by a member is rejected as %s if it is %s', async (kind, _what, bytes) => {
      await expect(media.readDrawnMask(await bytes())).rejects.toMatchObject({ kind });
    });
  });

  it('A mask is read by the embedded gateway as intended', async () => {
    const mask = await maskOf(await media.createSideMask('left', { width: 100, height: 61 }));
    expect(await whiteArea(await sharp(mask).extractChannel(0).png().toBuffer())).toMatchObject({
      box: { left: 0, width: 50 },
    });
  });
});
