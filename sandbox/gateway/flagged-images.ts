import sharp from 'sharp';

/** An image of a single colour represents content of a category, so images can be moderated without a model. */
const CATEGORY_COLOURS = {
  violence: { r: 255, g: 0, b: 0 },
  sexual: { r: 255, g: 0, b: 255 },
  hate: { r: 0, g: 255, b: 0 },
} as const;
type Colour = (typeof CATEGORY_COLOURS)[keyof typeof CATEGORY_COLOURS];

/** Compression changes colours a little. */
const COLOUR_TOLERANCE = 24;

/** The colour that a prompt requests with words such as `shows:violence`. */
export function flaggedColour(prompt: string): Colour | undefined {
  const name = /\bshows:([a-z]+)/.exec(prompt)?.[1];
  return Object.entries(CATEGORY_COLOURS).find(([one]) => one === name)?.[1];
}

export const plainImage = (colour: Colour, size: { width: number; height: number }, format: 'png' | 'jpeg' | 'webp') =>
  sharp({ create: { ...size, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer();

/** Returns the category that the colour of an image represents. */
export async function categoryOf(image: Buffer): Promise<string | undefined> {
  const { data } = await sharp(image)
    .removeAlpha()
    .resize(1, 1, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [r = 0, g = 0, b = 0] = data;
  const isNear = (colour: Colour): boolean =>
    [r - colour.r, g - colour.g, b - colour.b].every((difference) => Math.abs(difference) <= COLOUR_TOLERANCE);
  return Object.entries(CATEGORY_COLOURS).find(([, colour]) => isNear(colour))?.[0];
}
