import sharp from 'sharp';
import { type Colour, fromRgb } from './colour.ts';

/** A reference picture as the studio needs it: small enough to carry in an SVG, and its main colours. Plain data. */
export interface Reference {
  readonly uri: string;
  readonly colours: readonly Colour[];
}

const MOST_REFERENCES = 5;
const LONG_SIDE = 1024;
const MOST_PIXELS = 60_000_000;

/** What cannot be decoded is left out: whether a picture is acceptable was decided by whoever took it. */
export async function referencesOf(pictures: readonly Buffer[] = []): Promise<Reference[]> {
  const read = await Promise.allSettled(pictures.slice(0, MOST_REFERENCES).map(referenceOf));
  return read.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

async function referenceOf(picture: Buffer): Promise<Reference> {
  const flat = sharp(picture, { limitInputPixels: MOST_PIXELS })
    .autoOrient()
    .flatten({ background: '#fff' })
    .toColourspace('srgb');
  const small = await flat
    .resize({ width: LONG_SIDE, height: LONG_SIDE, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 86 })
    .toBuffer();
  return { uri: `data:image/jpeg;base64,${small.toString('base64')}`, colours: await mainColours(small) };
}

interface Bin {
  count: number;
  red: number;
  green: number;
  blue: number;
}

export interface MainColour {
  readonly share: number;
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

const SIDE = 48;
const SHADES = 4;
const MOST_COLOURS = 8;

/** Counts coarse bins and gives the mean of the fullest ones, so that noise does not make new colours. */
export async function countedColours(picture: Buffer): Promise<MainColour[]> {
  const pixels = await sharp(picture, { limitInputPixels: MOST_PIXELS })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .resize(SIDE, SIDE, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer();
  const bins = new Map<number, Bin>();
  for (let index = 0; index + 2 < pixels.length; index += 3) {
    const [red, green, blue] = [pixels[index] ?? 0, pixels[index + 1] ?? 0, pixels[index + 2] ?? 0];
    const coarse = (channel: number) => Math.min(SHADES - 1, Math.floor((channel * SHADES) / 256));
    const key = (coarse(red) * SHADES + coarse(green)) * SHADES + coarse(blue);
    const bin = bins.get(key) ?? { count: 0, red: 0, green: 0, blue: 0 };
    bin.count += 1;
    bin.red += red;
    bin.green += green;
    bin.blue += blue;
    bins.set(key, bin);
  }
  return [...bins.values()]
    .sort((one, other) => other.count - one.count)
    .slice(0, MOST_COLOURS)
    .map(({ count, red, green, blue }) => ({
      share: count / (SIDE * SIDE),
      red: red / count,
      green: green / count,
      blue: blue / count,
    }));
}

async function mainColours(picture: Buffer): Promise<Colour[]> {
  return (await countedColours(picture)).map(({ red, green, blue }) => fromRgb(red, green, blue));
}
