import sharp, { type OverlayOptions } from 'sharp';
import { compositionOf, svgOf, watermarkOf } from './composition.ts';
import { scramble } from './random.ts';
import { type Reference, referencesOf } from './reference.ts';
import type { Scene } from './scene.ts';
import type { Size } from './size.ts';

type ImageFormat = keyof typeof FORMATS;

export interface Image extends Size {
  bytes: Buffer;
  mime: `image/${ImageFormat}`;
}

export interface ImageOptions extends Size {
  format?: ImageFormat;
  references?: readonly Buffer[];
  /** The progress that a preview shows, from 0 to 1; 1 is the finished image. */
  finished?: number;
}

/** Pixels in memory, in sharp's format. */
interface Pixels {
  readonly input: Buffer;
  readonly raw: Size & { readonly channels: 3 | 4 };
}

/** PNG compression is low: the grain leaves little to compress, and a 4K image must not take ten seconds to encode. */
const FORMATS = {
  png: { compressionLevel: 3 },
  jpeg: { quality: 90, chromaSubsampling: '4:4:4' },
  webp: { quality: 88 },
};
const GRAIN_SIDE = 256;
/** On a scale from 0 to 255. Enough to hide the bands of a gradient, and too little to be visible as noise. */
const GRAIN_STRENGTH = 8;
const GUTTER_SHARE = 0.006;
const GUTTER_COLOUR = { r: 16, g: 17, b: 21 };
const FEATHER_SHARE = 0.018;

export async function drawImage(scene: Scene, options: ImageOptions): Promise<Image> {
  return await encode(await drawPixels(scene, options, options, await referencesOf(options.references)), options);
}

/** Draws four scenes in reading order with a thin gutter. Each is composed for the size of the grid, like its upscale. */
export async function drawGrid(scenes: readonly Scene[], options: ImageOptions): Promise<Image> {
  const { width, height } = options;
  const references = await referencesOf(options.references);
  const gutter = Math.max(2, 2 * Math.round((Math.min(width, height) * GUTTER_SHARE) / 2));
  const cell = { width: Math.floor((width - gutter) / 2), height: Math.floor((height - gutter) / 2) };
  const quadrants = scenes.slice(0, 4).map(async (scene, index) => {
    const [left, top] = [(index % 2) * (width - cell.width), (index >> 1) * (height - cell.height)];
    return { ...(await drawPixels(scene, options, cell, references)), left, top };
  });
  const raw = { width, height, channels: 3 } as const;
  const canvas = sharp({ create: { ...raw, background: GUTTER_COLOUR } }).raw();
  return await encode({ input: await canvas.toBuffer(), raw }, options, await Promise.all(quadrants));
}

/** Draws `editedScene` where the mask is white and `originalScene` elsewhere; the edge is feathered only inside, so nothing outside changes. */
export async function drawEdit(
  originalScene: Scene,
  editedScene: Scene,
  mask: Buffer,
  options: ImageOptions,
): Promise<Image> {
  const references = await referencesOf(options.references);
  const { width, height } = options;
  const [original, edited, alpha] = await Promise.all([
    drawPixels(originalScene, options, options, references),
    drawPixels(editedScene, options, options, references),
    featherOf(mask, { width, height }),
  ]);
  const patch = sharp(edited.input, edited).joinChannel(alpha, { raw: { width, height, channels: 1 } });
  const overlay = { input: await patch.raw().toBuffer(), raw: { width, height, channels: 4 } } as const;
  return await encode(original, options, [overlay]);
}

/** Draws the scene without the watermark at the given size; a quadrant of a grid is composed for the frame of the grid. */
async function drawPixels(
  scene: Scene,
  frame: ImageOptions,
  { width, height }: Size,
  references: readonly Reference[],
): Promise<Pixels> {
  const { finished = 1 } = frame;
  const { tools, layers } = compositionOf(scene, frame, references);
  const content = layers.map((layer) => layer.svg).join('');
  // A preview is the finished composition at a low resolution, which increases as the job progresses.
  const share = finished < 1 ? 0.025 + 0.45 * Math.max(0, finished) ** 1.6 : 1;
  const previewSize = {
    width: Math.max(8, Math.round(width * share)),
    height: Math.max(8, Math.round(height * share)),
  };
  const size = finished < 1 ? previewSize : { width, height };
  const drawing = sharp(svgOf(tools.window, size, content), { unlimited: true });
  const image =
    finished < 1
      ? sharp(await drawing.removeAlpha().png().toBuffer())
          .resize(width, height, { fit: 'fill', kernel: 'cubic' })
          .blur(Math.min(40, Math.max(0.5, 0.45 / share)))
      : drawing.composite([{ ...grainOf(scene.seed, size), tile: true }]);
  return { input: await image.removeAlpha().raw().toBuffer(), raw: { width, height, channels: 3 } };
}

/** A tile of nearly transparent black and white grain, never larger than the image. */
function grainOf(seed: number, size: Size): Pixels {
  const [width, height] = [Math.min(GRAIN_SIDE, size.width), Math.min(GRAIN_SIDE, size.height)];
  const input = Buffer.alloc(width * height * 4);
  for (let offset = 0; offset < input.length; offset += 4) {
    const roll = scramble((offset / 4) ^ Math.imul(seed | 0, 0x9e3779b1));
    const shade = roll & 1 ? 255 : 0;
    input[offset] = shade;
    input[offset + 1] = shade;
    input[offset + 2] = shade;
    input[offset + 3] = (roll >>> 8) % GRAIN_STRENGTH;
  }
  return { input, raw: { width, height, channels: 4 } };
}

/** Half of a blurred edge lies outside its shape; only the inner half is used, stretched to the full range. */
async function featherOf(mask: Buffer, { width, height }: Size): Promise<Buffer> {
  const selection = await binaryMask(mask, { width, height });
  const raw = { width, height, channels: 1 } as const;
  const sigma = Math.max(0.5, Math.min(width, height) * FEATHER_SHARE);
  const innerEdge = await sharp(selection, { raw }).blur(sigma).linear(2, -255).extractChannel(0).raw().toBuffer();
  return await sharp(innerEdge, { raw }).boolean(selection, 'and', { raw }).extractChannel(0).raw().toBuffer();
}

/** Selects what is white in the mask; if nothing is white, selects what is painted on a transparent background. */
async function binaryMask(mask: Buffer, { width, height }: Size): Promise<Buffer> {
  const fittedMask = sharp(mask).toColourspace('srgb').ensureAlpha().resize(width, height, { fit: 'fill' });
  const flattenedMask = fittedMask.clone().flatten({ background: '#000' }).greyscale();
  const whiteArea = await flattenedMask.threshold(128).extractChannel(0).raw().toBuffer();
  if (whiteArea.some((value) => value > 0)) return whiteArea;
  const paintedArea = await fittedMask.extractChannel(3).threshold(128).raw().toBuffer();
  return paintedArea.every((value) => value > 0) ? whiteArea : paintedArea;
}

async function encode({ input, raw }: Pixels, options: ImageOptions, overlays: OverlayOptions[] = []): Promise<Image> {
  const { width, height, format = 'png' } = options;
  const watermarked = sharp(input, { raw }).composite([...overlays, { input: watermarkOf(raw) }]);
  const bytes = await watermarked.removeAlpha().toFormat(format, FORMATS[format]).toBuffer();
  return { bytes, width, height, mime: `image/${format}` };
}
