import sharp from 'sharp';

const THUMBNAIL_SIDE = 64;

/** Returns the pixels of an image or a part of it, reduced to a small square. */
export async function thumbnail(
  image: Buffer,
  region?: { left: number; top: number; width: number; height: number },
): Promise<Buffer> {
  const source = region ? sharp(image).extract(region) : sharp(image);
  return await source.resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'fill' }).removeAlpha().raw().toBuffer();
}

/** The mean difference between two images' channels, from 0 to 255; the maximum if an image is missing. */
export function difference(first: Uint8Array | undefined, second: Uint8Array | undefined): number {
  if (!first || !second || first.length !== second.length) return 255;
  let sum = 0;
  for (let index = 0; index < first.length; index++) sum += Math.abs((first[index] ?? 0) - (second[index] ?? 0));
  return sum / first.length;
}
