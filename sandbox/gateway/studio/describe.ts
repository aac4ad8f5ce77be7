import sharp from 'sharp';
import { type Colour, chromaOf, hueOf } from './colour.ts';
import { mainColours } from './reference.ts';

const FALLBACK_LINE = 'a plain image that says little about itself';
const SAMPLE_SIDE = 64;
const ASPECT_RATIOS = ['1:1', '4:3', '3:4', '3:2', '2:3', '16:9', '9:16', '2:1', '1:2', '21:9', '4:5', '5:4'];
/** The names of equally spaced hues in OKLCH. */
const HUE_NAMES = 'rose,coral,orange,ochre,yellow,green,teal,cyan,blue,indigo,violet,purple'.split(',');

/** Chooses the word for a number; each step is the value from which the next word applies. */
const wordFor = (value: number, words: string, ...steps: readonly number[]) =>
  words.split('|')[steps.filter((step) => value >= step).length] ?? '';

/** Describes images in four lines that could be prompts, using only what can be measured. */
export async function describeImages(images: readonly Buffer[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(images.map(linesFor));
  const lines = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  return [0, 1, 2, 3].map((index) => lines[index % lines.length]?.[index] ?? `${FALLBACK_LINE}, version ${index + 1}`);
}

async function linesFor(image: Buffer): Promise<string[]> {
  const { width, height } = await sharp(image).metadata();
  const greyscale = sharp(image).flatten({ background: '#fff' }).toColourspace('b-w');
  const grey = await greyscale.resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'fill' }).extractChannel(0).raw().toBuffer();
  const mean = meanOf(grey, (value) => value);
  const spread = Math.sqrt(meanOf(grey, (value) => (value - mean) ** 2));
  const roughness = meanOf(grey, (value, index) => Math.abs(value - (grey[index - 1] ?? 0) / 255));
  const brightnessDifference = meanOf(grey, (value, index) => (index < grey.length / 2 ? 2 : -2) * value);
  const colourNames = (await mainColours(image)).map(nameOf);
  const [first = 'grey', second = first, third = second] = [...new Set(colourNames)];
  const light = wordFor(mean, 'dark|dim|evenly lit|bright|pale', 0.22, 0.42, 0.62, 0.8);
  const contrast = wordFor(spread, 'very soft|gentle|clear|hard', 0.1, 0.19, 0.28);
  const details = 'smooth and empty|calm, few details|finely detailed|busy, full of detail';
  const detail = wordFor(roughness, details, 0.012, 0.03, 0.07);
  const balance = wordFor(brightnessDifference, 'dark above|light spread evenly|light above', -0.06, 0.06);
  const aspect = wordFor(width / height, 'tall view|square image|wide view', 1 / 1.15, 1.15);
  return [
    `${/^[aeiou]/.test(light) ? 'an' : 'a'} ${light} ${aspect} in ${first} and ${second}, ${contrast} contrast, ${detail}`,
    `${first} fading into ${second} with touches of ${third}, ${balance}, ${detail}`,
    `study in ${first}, ${contrast} contrast, ${light} mood, ${Math.round(mean * 100)}% brightness`,
    `${detail}, ${light} ${aspect}, colours of ${second} and ${third} on ${first}, ${balance}`,
  ].map((line) => `${line} --ar ${ratioOf(width / height)}`);
}

/** The mean of a measure over an image's values, each from 0 to 1. */
function meanOf(values: Uint8Array, measure: (value: number, index: number) => number): number {
  return values.reduce((sum, value, index) => sum + measure(value / 255, index), 0) / values.length;
}

function ratioOf(ratio: number): string {
  const distance = (ratioText: string) => {
    const [width = 1, height = 1] = ratioText.split(':').map(Number);
    return Math.abs(Math.log((ratio * height) / width));
  };
  return ASPECT_RATIOS.reduce((nearest, other) => (distance(other) < distance(nearest) ? other : nearest));
}

function nameOf(colour: Colour): string {
  const chroma = chromaOf(colour);
  if (chroma < 0.022) return wordFor(colour.l, 'black|charcoal grey|grey|silver|white', 0.25, 0.5, 0.75, 0.93);
  const turn = (hueOf(colour) / (Math.PI * 2) + 1 + 0.5 / HUE_NAMES.length) % 1;
  const shade = colour.l < 0.35 ? 'deep ' : colour.l > 0.8 ? 'pale ' : chroma < 0.06 ? 'muted ' : '';
  return `${shade}${HUE_NAMES[Math.floor(turn * HUE_NAMES.length)] ?? ''}`;
}
