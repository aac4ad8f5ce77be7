import sharp from 'sharp';
import { type Colour, fromRgb } from './colour.ts';

/** A reference image, small enough to embed in an SVG, and its main colours. Plain data that workers can receive. */
export interface Reference {
  readonly uri: string;
  readonly colours: readonly Colour[];
}

const MAX_REFERENCES = 5;
const MAX_SIDE = 1024;
const MAX_PIXELS = 60_000_000;
const SAMPLE_SIDE = 48;
const MAX_COLOURS = 8;

/** Skips images that cannot be decoded, because the request has already been checked. */
export async function referencesOf(images: readonly Buffer[] = []): Promise<Reference[]> {
  const outcomes = await Promise.allSettled(images.slice(0, MAX_REFERENCES).map(referenceOf));
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

async function referenceOf(image: Buffer): Promise<Reference> {
  const resizedImage = await flattenOnWhite(image)
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 86 })
    .toBuffer();
  return { uri: `data:image/jpeg;base64,${resizedImage.toString('base64')}`, colours: await mainColours(resizedImage) };
}

/** Returns the mean colours of the fullest coarse bins, so that noise does not create additional colours. */
export async function mainColours(image: Buffer): Promise<Colour[]> {
  const pixels = await flattenOnWhite(image)
    .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer();
  const bins = new Map<number, [count: number, red: number, green: number, blue: number]>();
  for (let index = 0; index + 2 < pixels.length; index += 3) {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(index, index + 3);
    const key = ((red >> 6) << 4) | ((green >> 6) << 2) | (blue >> 6);
    const [count, reds, greens, blues] = bins.get(key) ?? [0, 0, 0, 0];
    bins.set(key, [count + 1, reds + red, greens + green, blues + blue]);
  }
  const fullestBins = [...bins.values()].sort(([one], [other]) => other - one).slice(0, MAX_COLOURS);
  return fullestBins.map(([count, red, green, blue]) => fromRgb(red / count, green / count, blue / count));
}

const flattenOnWhite = (image: Buffer) =>
  sharp(image, { limitInputPixels: MAX_PIXELS }).flatten({ background: '#fff' }).toColourspace('srgb');
