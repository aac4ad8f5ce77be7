import type { ExaminedImage, ImageEditor } from './image-editor.ts';

/** Images are compared at this size, in shades of grey. */
const SAMPLE_SIDE = 32;
/** The lowest eight frequencies in each direction, which survive when an image is re-saved or resized. */
const FREQUENCIES = 8;
/** In grey levels. An image that differs less from its own average has nothing by which it could be recognised, and would match any other single-colour image. */
const MIN_CONTRAST = 2;

/**
 * The perceptual hash of an image, 64 bits as hexadecimal text: which of its low frequencies are above their median (pHash, by the discrete cosine
 * transform). It hardly changes when the image is re-saved or resized. Undefined for an image of one colour.
 */
export async function perceptualHash(image: ExaminedImage, editor: ImageEditor): Promise<string | undefined> {
  const grey = await editor.render(image, {
    scale: Math.min(1, SAMPLE_SIDE / Math.min(image.width, image.height)),
    render: (original) =>
      original
        .autoOrient()
        .flatten({ background: 'white' })
        .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'fill' })
        .toColourspace('b-w')
        .raw(),
  });
  return contrastOf(grey) < MIN_CONTRAST ? undefined : hashBits(lowFrequencies(grey));
}

function contrastOf(grey: Buffer): number {
  let sum = 0;
  let squares = 0;
  for (const level of grey) {
    sum += level;
    squares += level ** 2;
  }
  return Math.sqrt(squares / grey.length - (sum / grey.length) ** 2);
}

/** The cosine waves, by frequency and then by position. */
const WAVES = Array.from({ length: FREQUENCIES }, (_, frequency) =>
  Array.from({ length: SAMPLE_SIDE }, (_, position) =>
    Math.cos(((2 * position + 1) * frequency * Math.PI) / (2 * SAMPLE_SIDE)),
  ),
);

function lowFrequencies(grey: Buffer): number[] {
  const columns = WAVES.map((wave) =>
    Array.from({ length: SAMPLE_SIDE }, (_, y) => weightedSum(wave, grey, y * SAMPLE_SIDE)),
  );
  return WAVES.flatMap((wave) => columns.map((column) => weightedSum(wave, column)));
}

/** A plain loop, because the media process hardly optimizes its code: with closures, this took longer than decoding the image. */
function weightedSum(weights: readonly number[], values: ArrayLike<number>, start = 0): number {
  let sum = 0;
  for (let index = 0; index < weights.length; index++) sum += (weights[index] ?? 0) * (values[start + index] ?? 0);
  return sum;
}

function hashBits(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [lowerMiddle = 0, upperMiddle = 0] = sorted.slice(sorted.length / 2 - 1);
  const median = (lowerMiddle + upperMiddle) / 2;
  const bits = values.map((value) => (value > median ? '1' : '0')).join('');
  return BigInt(`0b${bits}`)
    .toString(16)
    .padStart(values.length / 4, '0');
}
