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
  const mean = grey.reduce((sum, level) => sum + level, 0) / grey.length;
  return Math.sqrt(grey.reduce((sum, level) => sum + (level - mean) ** 2, 0) / grey.length);
}

/** The cosine waves, by frequency and then by position. */
const WAVES = Array.from({ length: FREQUENCIES }, (_, frequency) =>
  Array.from({ length: SAMPLE_SIDE }, (_, position) =>
    Math.cos(((2 * position + 1) * frequency * Math.PI) / (2 * SAMPLE_SIDE)),
  ),
);

function lowFrequencies(grey: Buffer): number[] {
  const rows = Array.from({ length: SAMPLE_SIDE }, (_, y) =>
    WAVES.map((wave) => wave.reduce((sum, height, x) => sum + height * (grey[y * SAMPLE_SIDE + x] ?? 0), 0)),
  );
  return WAVES.flatMap((wave) =>
    WAVES.map((_, frequency) => wave.reduce((sum, height, y) => sum + height * (rows[y]?.[frequency] ?? 0), 0)),
  );
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
