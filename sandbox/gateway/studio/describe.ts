import sharp from 'sharp';
import { type Colour, chromaOf, hueOf } from './colour.ts';
import { countedColours } from './reference.ts';

const LINES = 4;
const FALLBACK = 'a plain picture that says little about itself';
const SIDE = 64;
const LIGHT = ['dark', 'dim', 'evenly lit', 'bright', 'pale'];
const CONTRAST = ['very soft contrast', 'gentle contrast', 'clear contrast', 'hard contrast'];
const DETAIL = ['smooth and empty', 'calm, few details', 'finely detailed', 'busy, full of detail'];
const BALANCE = ['dark above, light below', 'light spread evenly', 'light above, weight below'];
const ASPECTS = ['tall view', 'square picture', 'wide view'];
const RATIOS = ['1:1', '4:3', '3:4', '3:2', '2:3', '16:9', '9:16', '2:1', '1:2', '21:9', '4:5', '5:4'];
const GREYS = ['black', 'charcoal grey', 'grey', 'silver', 'white'];
/** Once around the circle of OKLCH. */
const HUES =
  'rose,coral red,orange,ochre,yellow,lime,green,emerald,teal,cyan,sky blue,blue,indigo,violet,purple,magenta'.split(
    ',',
  );

/** The word for a number, where the next word begins at each step. */
const wordFor = (value: number, words: readonly string[], steps: readonly number[]) =>
  words[steps.filter((step) => value >= step).length] ?? '';

/** Four lines that could be prompts, from what can be measured in the pictures. */
export async function describePictures(pictures: readonly Buffer[]): Promise<string[]> {
  const read = await Promise.allSettled(pictures.map(linesFor));
  const lines = read.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  return Array.from(
    { length: LINES },
    (_, index) => lines[index % lines.length]?.[index] ?? `${FALLBACK}, version ${index + 1}`,
  );
}

async function linesFor(picture: Buffer): Promise<string[]> {
  const { width, height } = await sharp(picture).metadata();
  const grey = await sharp(picture)
    .flatten({ background: '#fff' })
    .toColourspace('b-w')
    .resize(SIDE, SIDE, { fit: 'fill' })
    .extractChannel(0)
    .raw()
    .toBuffer();
  const mean = meanOf(grey, (value) => value);
  const spread = Math.sqrt(meanOf(grey, (value) => (value - mean) ** 2));
  const busy = meanOf(grey, (value, index) => Math.abs(value - (grey[index - 1] ?? 0) / 255));
  const lean = meanOf(grey, (value, index) => (index < grey.length / 2 ? 2 : -2) * value);
  const counted = await countedColours(picture);
  const named = [...new Set(counted.map(({ colour }) => nameOf(colour)))];
  const [first = 'grey', second = first, third = second] = named;
  const light = wordFor(mean, LIGHT, [0.22, 0.42, 0.62, 0.8]);
  const contrast = wordFor(spread, CONTRAST, [0.1, 0.19, 0.28]);
  const detail = wordFor(busy, DETAIL, [0.012, 0.03, 0.07]);
  const balance = wordFor(lean, BALANCE, [-0.06, 0.06]);
  const aspect = wordFor(width / height, ASPECTS, [1 / 1.15, 1.15]);
  const parts = [mean, spread * 2, counted[0]?.share ?? 0].map((part) => `${Math.round(part * 100)}%`);
  return [
    `${/^[aeiou]/.test(light) ? 'an' : 'a'} ${light} ${aspect} in ${first} and ${second}, ${contrast}, ${detail}`,
    `${first} fading into ${second} with touches of ${third}, ${balance}, ${detail}`,
    `study in ${first}, ${contrast}, ${light} mood, ${parts[0]} brightness, ${parts[1]} contrast, ${parts[2]} of it one colour`,
    `${detail}, ${light} ${aspect}, colours of ${second} and ${third} on ${first}, ${balance}`,
  ].map((line) => `${line} --ar ${ratioOf(width / height)}`);
}

/** Over a picture's values, each from 0 to 1. */
function meanOf(values: Uint8Array, measure: (value: number, index: number) => number): number {
  return values.reduce((sum, value, index) => sum + measure(value / 255, index), 0) / values.length;
}

function ratioOf(ratio: number): string {
  const away = (written: string) => {
    const [across = 1, down = 1] = written.split(':').map(Number);
    return Math.abs(Math.log((ratio * down) / across));
  };
  return RATIOS.reduce((nearest, other) => (away(other) < away(nearest) ? other : nearest));
}

function nameOf(colour: Colour): string {
  const chroma = chromaOf(colour);
  if (chroma < 0.022) return wordFor(colour.l, GREYS, [0.25, 0.5, 0.75, 0.93]);
  const turn = (hueOf(colour) / (Math.PI * 2) + 1 + 0.5 / HUES.length) % 1;
  const shade = colour.l < 0.35 ? 'deep ' : colour.l > 0.8 ? 'pale ' : chroma < 0.06 ? 'muted ' : '';
  return `${shade}${HUES[Math.floor(turn * HUES.length)] ?? ''}`;
}
