import type { Sharp } from 'sharp';
import { MediaError } from '../errors.ts';
import { examineImage, type ImageEditor, type ImageFacts } from './image-editor.ts';

/** In a mask, white areas are to be changed and black ones stay, as gateways expect in practice. */
export type MaskSide = 'left' | 'right' | 'top' | 'bottom' | 'centre';

export type MaskSize = Pick<ImageFacts, 'width' | 'height'>;

export type DrawnMask =
  | { readonly marks: 'a part'; readonly bytes: Buffer }
  | { readonly marks: 'nothing' | 'everything' | 'unclear' };

const HALF = 0.5;
/** The share of each side, which makes a good third of the area: the middle with some space around it. */
const CENTRE = 0.6;

/** A single pixel that is scaled up, which is three times as fast as drawing a shape. */
const WHITE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==',
  'base64',
);

export async function createSideMask(side: MaskSide, size: MaskSize, bench: ImageEditor): Promise<Buffer> {
  if (size.width * size.height > bench.maxPixels) {
    throw new MediaError('too-large', `A mask of ${size.width} × ${size.height} pixels is larger than any image.`);
  }
  const { width, height, ...margins } = whiteArea(side, size);
  const draw = (white: Sharp) =>
    white
      .resize(width, height, { fit: 'fill', kernel: 'nearest' })
      .extend({ ...margins, background: 'black' })
      .toColourspace('b-w')
      .png();
  return await bench.render(WHITE, { render: draw });
}

function whiteArea(side: MaskSide, { width, height }: MaskSize) {
  const [x, y] = side === 'centre' ? [CENTRE, CENTRE] : side === 'left' || side === 'right' ? [HALF, 1] : [1, HALF];
  const white = { width: Math.max(1, Math.round(width * x)), height: Math.max(1, Math.round(height * y)) };
  const across = width - white.width;
  const down = height - white.height;
  const left = side === 'left' ? 0 : side === 'right' ? across : Math.floor(across / 2);
  const top = side === 'top' ? 0 : side === 'bottom' ? down : Math.floor(down / 2);
  return { ...white, left, right: across - left, top, bottom: down - top };
}

export async function readDrawnMask(bytes: Buffer, bench: ImageEditor): Promise<DrawnMask> {
  // Refuses a file that is not an image or is too large, before anything is decoded.
  await examineImage(bytes, bench.maxPixels);
  const kind = kindOfDrawing(await bench.render(bytes, { render: thumbnail }));
  if (kind === 'unclear') return { marks: kind };
  // Extracted first: the threshold handles 8-bit transparency only while it belongs to other colours.
  const sheet =
    kind === 'bright'
      ? bytes
      : await bench.render(bytes, { render: (image) => image.autoOrient().extractChannel('alpha').png() });
  const draw = (image: Sharp) => blackAndWhite(kind === 'erased' ? image.negate() : image);
  const mask = await bench.render(sheet, { render: draw });
  const cells = await bench.render(mask, { render: (image) => image.resize(64, 64, { fit: 'fill' }).raw() });
  if (cells.every((shade) => shade === 0)) return { marks: 'nothing' };
  if (cells.every((shade) => shade === 255)) return { marks: 'everything' };
  return { marks: 'a part', bytes: mask };
}

function blackAndWhite(image: Sharp): Sharp {
  return image.autoOrient().flatten({ background: 'black' }).threshold(128).toColourspace('b-w').png();
}

/** Large enough to determine the type of drawing. */
const SIDE = 128;

function thumbnail(image: Sharp): Sharp {
  // The simplest kernel, because with others the colours overshoot along edges.
  const small = image.autoOrient().ensureAlpha().resize(SIDE, SIDE, { fit: 'fill', kernel: 'linear' });
  return small.toColourspace('srgb').raw();
}

/** How far the shades of a single ink differ in lossy formats. */
const ONE_INK = 48;
/** A black-and-white drawing has grey pixels only along its edges. If a quarter of it is grey, it is a photo. */
const MAX_GREY = 0.25;

/**
 * Painting programs mark a part in three ways: white on black, a hole erased from an image, or strokes on a transparent layer.
 * The last two both have transparent parts. They are strokes if all ink has one shade and the rim is mostly transparent.
 */
function kindOfDrawing(look: Buffer): 'bright' | 'erased' | 'painted' | 'unclear' {
  const dots = Array.from({ length: SIDE * SIDE }, (_, at) => ({
    shade: shadeOf(look.subarray(4 * at)),
    isInk: (look[4 * at + 3] ?? 0) >= 128,
    isRim: at % SIDE === 0 || at % SIDE === SIDE - 1 || at < SIDE || at >= SIDE * (SIDE - 1),
  }));
  const ink = dots.filter(({ isInk }) => isInk).map(({ shade }) => shade);
  if (ink.length === dots.length) {
    const grey = ink.filter((shade) => shade >= 64 && shade < 192).length;
    return grey > ink.length * MAX_GREY ? 'unclear' : 'bright';
  }
  const rim = dots.filter(({ isRim }) => isRim);
  const isMostlyBare = rim.filter(({ isInk }) => !isInk).length > rim.length / 2;
  const isOneInk = ink.length === 0 || Math.max(...ink) - Math.min(...ink) <= ONE_INK;
  return isOneInk && isMostlyBare ? 'painted' : 'erased';
}

const shadeOf = ([red = 0, green = 0, blue = 0]: Uint8Array): number => 0.21 * red + 0.72 * green + 0.07 * blue;
