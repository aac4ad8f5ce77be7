import sharp, { type Sharp } from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maskOf } from '../../../sandbox/gateway/reference-fetcher.ts';
import { type Media, openMedia } from '../../../src/services/media/index.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { noise } from './images.ts';

type Colour = string | { r: number; g: number; b: number; alpha: number };

const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 };
const SIZE = { width: 120, height: 80 };
/** The masked area in every drawing here. */
const PART = { left: 20, top: 10, width: 40, height: 30 };

const sheet = (background: Colour, size: { width: number; height: number } = SIZE): Sharp =>
  sharp({ create: { ...size, channels: 4, background } });

/** Paints the area in one colour on a canvas of another. */
const painted = async (colour: Colour, ground: Colour): Promise<Sharp> =>
  sheet(ground).composite([{ input: await sheet(colour, PART).png().toBuffer(), left: PART.left, top: PART.top }]);

/** Erases the area from an image. */
const holed = async (image: Sharp): Promise<Sharp> =>
  sharp(await image.ensureAlpha().png().toBuffer()).composite([
    { input: await sheet('black', PART).png().toBuffer(), left: PART.left, top: PART.top, blend: 'dest-out' },
  ]);

/** Returns the white area of a mask; fails if the mask has any shade other than black and white. */
async function whiteOf(mask: Buffer) {
  const { data, info } = await sharp(mask).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  expect((await sharp(mask).metadata()).channels).toBe(1);
  expect(new Set(data)).toEqual(new Set([0, 255]));
  const xs: number[] = [];
  const ys: number[] = [];
  for (const [at, shade] of data.entries()) {
    if (shade === 0) continue;
    xs.push(at % info.width);
    ys.push(Math.floor(at / info.width));
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
    ] as const)('A mask of a side has the size of the image and is white only at the %s', async (side, box) => {
      const size = { width: 100, height: 61 };
      expect(await whiteOf(await media.createSideMask(side, size))).toEqual({ size, box, isFull: true });
    });

    it('A mask of a side is not drawn for more pixels than an image may have', async () => {
      await expect(media.createSideMask('left', { width: 1_001, height: 1_000 })).rejects.toMatchObject({
        kind: 'too-large',
      });
    });
  });

  describe('drawn by a member', () => {
    const marked = async (drawing: Sharp) => {
      const mask = await media.readDrawnMask(await drawing.toBuffer());
      return mask.marks === 'a part' ? await whiteOf(mask.bytes) : mask.marks;
    };
    const thePart = { size: SIZE, box: PART, isFull: true };

    it.each([
      ['white on black', 'white', 'black'],
      ['yellow on dark blue', 'yellow', 'darkblue'],
      ['white strokes on a transparent layer', 'white', CLEAR],
      ['red strokes on a transparent layer', 'red', CLEAR],
      ['black strokes on a transparent layer', 'black', CLEAR],
      ['a hole in a black canvas', CLEAR, 'black'],
    ] as const)('A mask drawn by a member marks the intended area in %s', async (_what, colour, ground) => {
      const drawing = colour === CLEAR ? await holed(sheet(ground)) : await painted(colour, ground);
      expect(await marked(drawing.png())).toEqual(thePart);
    });

    it.each(['png', 'webp', 'gif', 'avif'] as const)(
      'A mask drawn by a member marks the erased area of an image in %s',
      async (format) => {
        const drawing = (await holed(noise(SIZE.width, SIZE.height))).toFormat(format, { lossless: true });
        expect(await marked(drawing)).toEqual(thePart);
      },
    );

    it('A mask drawn by a member marks the surroundings if these were erased, because the remaining area is an image and not a stroke', async () => {
      const subject = await noise(PART.width, PART.height).png().toBuffer();
      const cut = sheet(CLEAR).composite([{ input: subject, left: PART.left, top: PART.top }]);
      const mask = await media.readDrawnMask(await cut.png().toBuffer());
      if (mask.marks !== 'a part') throw new Error(mask.marks);
      const kept = await sharp(mask.bytes).negate().extractChannel(0).png().toBuffer();
      expect(await whiteOf(kept)).toEqual(thePart);
    });

    it.each(['rgb16', 'grey16', 'b-w'] as const)(
      'A mask drawn by a member is read with the colours of %s',
      async (space) => {
        for (const drawing of [
          await painted('white', 'black'),
          await painted('white', CLEAR),
          await holed(sheet('gray')),
        ]) {
          const png = await drawing.png().toBuffer();
          expect(await marked(sharp(png).toColourspace(space).png())).toEqual(thePart);
        }
      },
    );

    it('A mask drawn by a member tolerates the soft edges and the noise of a JPEG', async () => {
      const drawing = sharp(await (await painted('white', 'black')).png().toBuffer()).blur(2);
      const { box } = (await marked(drawing.flatten().jpeg({ quality: 60 }))) as Awaited<ReturnType<typeof whiteOf>>;
      for (const [name, length] of Object.entries(PART)) {
        expect(Math.abs(box[name as keyof typeof PART] - length), name).toBeLessThanOrEqual(2);
      }
    });

    it('A mask drawn by a member is rotated upright like the image that it was drawn on', async () => {
      const drawing = sharp(await (await painted('white', 'black')).flatten().png().toBuffer());
      const { left, top, width, height } = PART;
      const box = { left: SIZE.height - top - height, top: left, width: height, height: width };
      const turned = await marked(drawing.jpeg({ quality: 100 }).withMetadata({ orientation: 6 }));
      expect(turned).toEqual({ size: { width: SIZE.height, height: SIZE.width }, box, isFull: true });
    });

    it('A mask drawn by a member keeps a visible dot', async () => {
      const dot = await sheet('white', { width: 12, height: 12 }).png().toBuffer();
      const size = { width: 1_200, height: 800 };
      const box = { left: 600, top: 400, width: 12, height: 12 };
      for (const ground of ['black', CLEAR]) {
        const drawing = sheet(ground, size).composite([{ input: dot, left: 600, top: 400 }]);
        expect(await marked(drawing.png())).toEqual({ size, box, isFull: true });
      }
    });

    it.each([
      ['nothing', 'a black sheet', sheet('black')],
      ['nothing', 'an empty layer', sheet(CLEAR)],
      ['everything', 'a white sheet', sheet('white')],
      ['unclear', 'a photograph', noise(SIZE.width, SIZE.height)],
      ['unclear', 'a grey sheet', sheet('gray')],
    ])('A mask drawn by a member marks %s if it is %s', async (marks, _what, drawing) => {
      expect(await media.readDrawnMask(await drawing.png().toBuffer())).toEqual({ marks });
    });

    it.each([
      ['not-media', 'a page', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['too-large', 'a bomb', () => sheet('black', { width: 1_100, height: 1_000 }).png().toBuffer()],
      ['damaged', 'half a file', async () => (await noise(90, 90).png().toBuffer()).subarray(0, 9_000)],
    ])('A mask drawn by a member fails as %s if it is %s', async (kind, _what, bytes) => {
      await expect(media.readDrawnMask(await bytes())).rejects.toMatchObject({ kind });
    });
  });

  it('A mask is read by the embedded gateway as intended', async () => {
    const mask = await maskOf(await media.createSideMask('left', { width: 100, height: 61 }));
    expect(await whiteOf(await sharp(mask).extractChannel(0).png().toBuffer())).toMatchObject({
      box: { left: 0, width: 50 },
    });
  });
});
