import type { Sharp } from 'sharp';
import { MediaError } from '../errors.ts';
import { examineImage, type ImageEditor, type ImageFacts } from './image-editor.ts';

/** The part of an image to be changed. In a mask, this part is white and the rest is black, as gateways expect in practice. */
export type MaskSide = 'left' | 'right' | 'top' | 'bottom' | 'centre';

export type MaskSize = Pick<ImageFacts, 'width' | 'height'>;

export type DrawnMask =
  | { readonly marks: 'a part'; readonly bytes: Buffer }
  | { readonly marks: 'nothing' | 'everything' | 'unclear' };

const HALF_SHARE = 0.5;
/** The share of each side, which makes about a third of the area: the middle with some space around it. */
const CENTRE_SHARE = 0.6;

/** A single pixel that is scaled up, which is three times as fast as drawing a shape. */
const WHITE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==',
  'base64',
);

export async function createSideMask(side: MaskSide, size: MaskSize, editor: ImageEditor): Promise<Buffer> {
  if (size.width * size.height > editor.maxPixels) {
    throw new MediaError('too-large', `A mask of ${size.width} × ${size.height} pixels is larger than any image.`);
  }
  const { width, height, ...margins } = whiteArea(side, size);
  const draw = (white: Sharp) =>
    white
      .resize(width, height, { fit: 'fill', kernel: 'nearest' })
      .extend({ ...margins, background: 'black' })
      .toColourspace('b-w')
      .png();
  return await editor.render(WHITE, { render: draw });
}

function whiteArea(side: MaskSide, { width, height }: MaskSize) {
  const [x, y] =
    side === 'centre'
      ? [CENTRE_SHARE, CENTRE_SHARE]
      : side === 'left' || side === 'right'
        ? [HALF_SHARE, 1]
        : [1, HALF_SHARE];
  const white = { width: Math.max(1, Math.round(width * x)), height: Math.max(1, Math.round(height * y)) };
  const spareWidth = width - white.width;
  const spareHeight = height - white.height;
  const left = side === 'left' ? 0 : side === 'right' ? spareWidth : Math.floor(spareWidth / 2);
  const top = side === 'top' ? 0 : side === 'bottom' ? spareHeight : Math.floor(spareHeight / 2);
  return { ...white, left, right: spareWidth - left, top, bottom: spareHeight - top };
}

export async function readDrawnMask(bytes: Buffer, editor: ImageEditor): Promise<DrawnMask> {
  // Refuses a file that is not an image or is too large, before anything is decoded.
  await examineImage(bytes, editor.maxPixels);
  const kind = kindOfDrawing(await editor.render(bytes, { render: thumbnail }));
  if (kind === 'unclear') return { marks: kind };
  // Extracted first: the threshold handles 8-bit transparency only while the image also has its colour channels.
  const source =
    kind === 'bright'
      ? bytes
      : await editor.render(bytes, { render: (image) => image.autoOrient().extractChannel('alpha').png() });
  const draw = (image: Sharp) => blackAndWhite(kind === 'erased' ? image.negate() : image);
  const mask = await editor.render(source, { render: draw });
  const pixels = await editor.render(mask, { render: (image) => image.resize(64, 64, { fit: 'fill' }).raw() });
  if (pixels.every((shade) => shade === 0)) return { marks: 'nothing' };
  if (pixels.every((shade) => shade === 255)) return { marks: 'everything' };
  return { marks: 'a part', bytes: mask };
}

function blackAndWhite(image: Sharp): Sharp {
  return image.autoOrient().flatten({ background: 'black' }).threshold(128).toColourspace('b-w').png();
}

/** Large enough to determine the type of drawing. */
const THUMBNAIL_SIDE = 128;

function thumbnail(image: Sharp): Sharp {
  // The simplest kernel, because with others the colours overshoot along edges.
  const thumbnailImage = image
    .autoOrient()
    .ensureAlpha()
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'fill', kernel: 'linear' });
  return thumbnailImage.toColourspace('srgb').raw();
}

/** How far the shades of a single ink differ in lossy formats. */
const MAX_INK_DIFFERENCE = 48;
/** A black-and-white drawing has grey pixels only along its edges. If a quarter of it is grey, it is a photo. */
const MAX_GREY = 0.25;

/**
 * Painting programs mark a part in three ways: white on black, a hole erased from an image, or strokes on a transparent layer.
 * The last two both have transparent parts. They are strokes if all ink has one shade and the rim is mostly transparent.
 */
function kindOfDrawing(thumbnailBytes: Buffer): 'bright' | 'erased' | 'painted' | 'unclear' {
  const pixels = Array.from({ length: THUMBNAIL_SIDE * THUMBNAIL_SIDE }, (_, index) => ({
    shade: shadeOf(thumbnailBytes.subarray(4 * index)),
    isInk: (thumbnailBytes[4 * index + 3] ?? 0) >= 128,
    isRim:
      index % THUMBNAIL_SIDE === 0 ||
      index % THUMBNAIL_SIDE === THUMBNAIL_SIDE - 1 ||
      index < THUMBNAIL_SIDE ||
      index >= THUMBNAIL_SIDE * (THUMBNAIL_SIDE - 1),
  }));
  const ink = pixels.filter(({ isInk }) => isInk).map(({ shade }) => shade);
  if (ink.length === pixels.length) {
    const grey = ink.filter((shade) => shade >= 64 && shade < 192).length;
    return grey > ink.length * MAX_GREY ? 'unclear' : 'bright';
  }
  const edge = pixels.filter(({ isRim }) => isRim);
  const isMostlyTransparent = edge.filter(({ isInk }) => !isInk).length > edge.length / 2;
  const hasSingleInk = ink.length === 0 || Math.max(...ink) - Math.min(...ink) <= MAX_INK_DIFFERENCE;
  return hasSingleInk && isMostlyTransparent ? 'painted' : 'erased';
}

const shadeOf = ([red = 0, green = 0, blue = 0]: Uint8Array): number => 0.21 * red + 0.72 * green + 0.07 * blue;
