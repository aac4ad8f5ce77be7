import type { Sharp } from 'sharp';
import { MediaError } from '../errors.ts';
import { type MediaType, mediaTypes } from '../media-types.ts';
import { removeMetadata } from './clean.ts';
import type { ExaminedImage, ImageEditor } from './image-editor.ts';
import { MAX_MARK_BYTES, MAX_WEBP_SIDE, markImage, type Provenance } from './provenance.ts';

/** `re-encoded` has at least half of the original's width; a `preview` has less, and is not animated. */
export type FitResult =
  | {
      readonly how: 'as-is' | 're-encoded' | 'preview';
      readonly bytes: Buffer;
      readonly type: MediaType;
      /** Whether a C2PA manifest was removed, because the file contained a location or had to be changed. */
      readonly lostManifest?: boolean;
    }
  | { readonly how: 'none' };

const QUALITIES = [90, 80, 70];
/** Reducing the quality from 90 to 70 about halves the size. A file that is further over the limit than this has to be scaled down instead. */
const MAX_SIZE_RATIO = 2.5;
const DOWNSCALED_QUALITY = 80;
const MIN_SCALE = 0.5;
/** Measured bytes per pixel. A WebP is kept in memory completely while it is encoded. */
const WEBP_BYTES_PER_PIXEL = 7;
const WEBP_BYTES_WITH_ALPHA = 14;
/** An animation is encoded frame by frame, and the encoded frames are kept. */
const WEBP_FRAME_BYTES = 3;
const MAX_WEBP_PIXELS = 4_096 * 4_096;
const PREVIEW_SIDES = [1_280, 640, 320, 160];
const PREVIEW_QUALITY = 75;

/** Prepares a result to be shown: a file with a manifest stays unchanged if possible; any other file loses its metadata and gets a mark. */
export async function fitResult(
  image: ExaminedImage,
  max: number,
  editor: ImageEditor,
  { sourceType: defaultSourceType }: Provenance,
): Promise<FitResult> {
  const { bytes, type, hasManifest, hasLocation } = image;
  if (hasManifest && !hasLocation && bytes.length <= max) return { how: 'as-is', bytes, type };
  const sourceType = defaultSourceType && (image.sourceType ?? defaultSourceType);
  const maxUnmarkedBytes = sourceType ? max - MAX_MARK_BYTES : max;
  if (maxUnmarkedBytes <= 0) return { how: 'none' };
  const fitted = await fitImage(image, maxUnmarkedBytes, editor);
  if (fitted.how === 'none') return fitted;
  const lost = hasManifest && { lostManifest: true };
  return { ...fitted, ...lost, ...(sourceType && { bytes: markImage(fitted.bytes, fitted.type, sourceType) }) };
}

/** Returns the image unchanged if it fits, else with lower quality, else scaled down, else as a preview. */
export async function fitImage(image: ExaminedImage, max: number, editor: ImageEditor): Promise<FitResult> {
  try {
    // Re-encoding an image that is far too large would be a waste of time.
    if (!image.isRotated || image.bytes.length <= max * MAX_SIZE_RATIO) {
      const { bytes, type, isReencoded } = await removeMetadata(image, editor);
      if (bytes.length <= max) return { how: isReencoded ? 're-encoded' : 'as-is', bytes, type };
    }
    const fitted = await fitSmaller(image, max, editor);
    if (fitted) return fitted;
  } catch (error) {
    // A preview needs less memory than the whole image if its format can be decoded at a smaller size.
    if (!(error instanceof MediaError && error.kind === 'too-large')) throw error;
  }
  return (await makePreview(image, max, editor)) ?? { how: 'none' };
}

async function fitSmaller(image: ExaminedImage, max: number, editor: ImageEditor): Promise<FitResult | undefined> {
  if (image.isUndecodedAnimation) return undefined;
  const isAnimated = image.frames > 1;
  // JPEG is encoded line by line with almost no memory, and every program opens it.
  const type = isAnimated || image.hasAlpha ? mediaTypes.webp : mediaTypes.jpeg;
  const encoderBytes = type === mediaTypes.webp ? webpMemory(image) : 0;
  const encode = (scale: number, quality: number) =>
    editor.render(image, {
      isAnimated,
      scale,
      outputBytes: scale ** 2 * encoderBytes,
      render: (original) => encodeAs(scaleDown(original, image, scale), type, quality),
    });

  let scale = type === mediaTypes.webp ? webpScale(image, isAnimated) : 1;
  let size = Number.POSITIVE_INFINITY;
  if (scale < MIN_SCALE) return undefined;
  for (const quality of QUALITIES) {
    const bytes = await encode(scale, quality);
    if (bytes.length <= max) return { how: 're-encoded', bytes, type };
    size = bytes.length;
    if (size > max * MAX_SIZE_RATIO) break;
  }
  while (scale > MIN_SCALE) {
    // The size is proportional to the area. The target is a little smaller, so one attempt is usually enough.
    scale = Math.max(MIN_SCALE, scale * Math.min(0.9, Math.sqrt(max / size) * 0.95));
    const bytes = await encode(scale, DOWNSCALED_QUALITY);
    if (bytes.length <= max) return { how: 're-encoded', bytes, type };
    size = bytes.length;
  }
  return undefined;
}

async function makePreview(image: ExaminedImage, max: number, editor: ImageEditor): Promise<FitResult | undefined> {
  const { width, height } = image;
  let previousSide = Number.POSITIVE_INFINITY;
  for (const maxSide of PREVIEW_SIDES) {
    const side = Math.min(maxSide, Math.max(width, height));
    if (side === previousSide) continue;
    previousSide = side;
    const bytes = await editor.render(image, {
      scale: side / Math.max(width, height),
      render(original) {
        const small = original.autoOrient().resize(side, side, { fit: 'inside', withoutEnlargement: true });
        // JPEG does not support transparency, so transparent parts get a background.
        return encodeAs(small.flatten({ background: 'white' }), mediaTypes.jpeg, PREVIEW_QUALITY);
      },
    });
    if (bytes.length <= max) return { how: 'preview', bytes, type: mediaTypes.jpeg };
  }
  return undefined;
}

function scaleDown(original: Sharp, { width, frames }: ExaminedImage, scale: number): Sharp {
  // The frames of an animation are stacked vertically in memory, so they cannot be rotated.
  const upright = frames > 1 ? original : original.autoOrient();
  return scale < 1 ? upright.resize({ width: Math.max(1, Math.round(width * scale)) }) : upright;
}

function webpMemory({ width, height, frames, hasAlpha }: ExaminedImage): number {
  const pixels = width * height;
  const bytesPerPixel = hasAlpha ? WEBP_BYTES_WITH_ALPHA : WEBP_BYTES_PER_PIXEL;
  return frames > 1 ? pixels * (bytesPerPixel + frames * WEBP_FRAME_BYTES) : pixels * bytesPerPixel;
}

function webpScale({ width, height }: ExaminedImage, isAnimated: boolean): number {
  const sideScale = MAX_WEBP_SIDE / Math.max(width, height);
  // An animation is encoded frame by frame.
  const memoryScale = isAnimated ? 1 : Math.sqrt(MAX_WEBP_PIXELS / (width * height));
  return Math.min(1, sideScale, memoryScale);
}

function encodeAs(image: Sharp, type: MediaType, quality: number): Sharp {
  if (type === mediaTypes.webp) return image.webp({ quality, alphaQuality: quality, effort: 2 });
  // Optimised tables save four percent, but take twice as long and, for 67 million pixels, 400 MB more.
  return image.jpeg({ quality, optimiseCoding: false });
}
