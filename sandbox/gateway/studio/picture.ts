import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { compositionOf, markOf, svgOf } from './composition.ts';
import { grainOf } from './grain.ts';
import { type Reference, referencesOf } from './reference.ts';
import type { Scene } from './scene.ts';
import type { Size } from './size.ts';

type PictureFormat = 'png' | 'jpeg' | 'webp';

export interface Picture extends Size {
  bytes: Buffer;
  mime: 'image/png' | 'image/jpeg' | 'image/webp';
}

export interface PictureOptions extends Size {
  format?: PictureFormat;
  references?: readonly Buffer[];
  /** How finished a preview looks, 0 to 1; 1 is finished. */
  finished?: number;
}

/** Pixels in memory, as sharp takes them: red, green and blue, or with alpha for four channels. */
export interface Pixels extends Size {
  readonly data: Buffer;
  readonly channels: 3 | 4;
}

const JPEG_QUALITY = 90;
const WEBP_QUALITY = 88;
/** PNG at its quickest: the grain leaves little to compress, and a 4K picture must not take ten seconds to pack. */
const PNG_EFFORT = 3;

export async function drawPicture(scene: Scene, options: PictureOptions): Promise<Picture> {
  const references = await referencesOf(options.references);
  return await encoded(await drawn(scene, options, { ...options, references }), options);
}

export interface DrawnOptions extends Size {
  readonly references: readonly Reference[];
  readonly finished?: number;
}

/** The scene without the mark. `frame` is what it is composed for, the options' size is what it is drawn in. */
export async function drawn(scene: Scene, frame: Size, options: DrawnOptions): Promise<Pixels> {
  const { width, height, references, finished = 1 } = options;
  const composition = compositionOf(scene, frame, { references });
  const sketch = finished >= 1 ? { width, height } : sketchOf({ width, height }, finished);
  const svg = svgOf(composition.tools, sketch, composition.layers.map((layer) => layer.svg).join(''));
  const picture = sharp(svg, { unlimited: true });
  const pixels =
    finished >= 1
      ? picture.composite([{ input: await grainOf(scene.seed, { width, height }), tile: true }])
      : sharp(await picture.removeAlpha().png().toBuffer())
          .resize(width, height, { fit: 'fill', kernel: 'cubic' })
          .blur(blurOf(width, sketch));
  return { data: await pixels.removeAlpha().raw().toBuffer(), width, height, channels: 3 };
}

/** A preview is the finished composition drawn in few pixels, and more of them as it goes on. */
function sketchOf({ width, height }: Size, finished: number): Size {
  const share = 0.025 + 0.45 * Math.max(0, finished) ** 1.6;
  return { width: Math.max(8, Math.round(width * share)), height: Math.max(8, Math.round(height * share)) };
}

function blurOf(width: number, sketch: Size): number {
  return Math.min(40, Math.max(0.5, (width / sketch.width) * 0.45));
}

export async function encoded(
  pixels: Pixels,
  { width, height, format = 'png' }: PictureOptions,
  over: OverlayOptions[] = [],
): Promise<Picture> {
  const marked = sharp(pixels.data, { raw: pixels })
    .composite([...over, { input: markOf({ width, height }) }])
    .removeAlpha();
  const bytes = await packed(marked, format).toBuffer();
  return { bytes, width, height, mime: `image/${format}` };
}

function packed(picture: Sharp, format: PictureFormat): Sharp {
  if (format === 'jpeg') return picture.jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' });
  if (format === 'webp') return picture.webp({ quality: WEBP_QUALITY });
  return picture.png({ compressionLevel: PNG_EFFORT });
}
