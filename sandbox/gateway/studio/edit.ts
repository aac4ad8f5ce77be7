import sharp from 'sharp';
import { drawn, encoded, type Picture, type PictureOptions } from './picture.ts';
import { referencesOf } from './reference.ts';
import type { Scene } from './scene.ts';
import type { Size } from './size.ts';

const FEATHER_SHARE = 0.018;

/** `after` where the mask is white, `before` elsewhere; the seam is feathered inside the mask, so nothing outside moves. */
export async function drawEdit(before: Scene, after: Scene, mask: Buffer, options: PictureOptions): Promise<Picture> {
  const references = await referencesOf(options.references);
  const { width, height, finished = 1 } = options;
  const size = { width, height };
  const [old, fresh, alpha] = await Promise.all([
    drawn(before, size, { ...size, references, finished }),
    drawn(after, size, { ...size, references, finished }),
    featherOf(mask, size),
  ]);
  const patch = await sharp(fresh.data, { raw: { ...size, channels: 3 } })
    .joinChannel(alpha, { raw: { ...size, channels: 1 } })
    .raw()
    .toBuffer();
  return await encoded(old, options, [{ input: patch, raw: { ...size, channels: 4 } }]);
}

/** A blurred edge lies half outside its shape; only the inner half is kept, stretched to the whole range. */
async function featherOf(mask: Buffer, { width, height }: Size): Promise<Buffer> {
  const hard = await hardMask(mask, { width, height });
  const raw = { width, height, channels: 1 } as const;
  const sigma = Math.max(0.5, Math.min(width, height) * FEATHER_SHARE);
  const inner = await sharp(hard, { raw }).blur(sigma).linear(2, -255).extractChannel(0).raw().toBuffer();
  return await sharp(inner, { raw }).boolean(hard, 'and', { raw }).extractChannel(0).raw().toBuffer();
}

/** White counts; a mask painted in black on nothing counts by what is painted. */
async function hardMask(mask: Buffer, { width, height }: Size): Promise<Buffer> {
  const fitted = sharp(mask).toColourspace('srgb').ensureAlpha().resize(width, height, { fit: 'fill' });
  const white = await fitted
    .clone()
    .flatten({ background: '#000' })
    .greyscale()
    .threshold(128)
    .extractChannel(0)
    .raw()
    .toBuffer();
  if (white.some((value) => value > 0)) return white;
  const painted = await fitted.extractChannel(3).threshold(128).raw().toBuffer();
  return painted.every((value) => value > 0) ? white : painted;
}
