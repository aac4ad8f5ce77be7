import sharp from 'sharp';

const SIDE = 64;

/** Returns the pixels of an image or a part of it, reduced to a small square. */
export async function thumbnail(
  image: Buffer,
  part?: { left: number; top: number; width: number; height: number },
): Promise<Buffer> {
  const source = part ? sharp(image).extract(part) : sharp(image);
  return await source.resize(SIDE, SIDE, { fit: 'fill' }).removeAlpha().raw().toBuffer();
}

/** The mean difference of two images' channels, from 0 to 255; a missing image has the maximum difference. */
export function difference(one: Uint8Array | undefined, other: Uint8Array | undefined): number {
  if (!one || !other || one.length !== other.length) return 255;
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += Math.abs((one[index] ?? 0) - (other[index] ?? 0));
  return sum / one.length;
}
