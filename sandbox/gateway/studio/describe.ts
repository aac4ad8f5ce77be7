import sharp from 'sharp';
import { type Colour, chromaOf, fromRgb, hueOf } from './colour.ts';
import { countedColours, type MainColour } from './reference.ts';

const LINES = 4;
const FALLBACK = 'a plain picture that says little about itself';

interface Facts {
  readonly colours: readonly string[];
  readonly aspect: string;
  readonly flags: string;
  readonly light: string;
  readonly contrast: string;
  readonly detail: string;
  readonly heavy: string;
  readonly measured: string;
}

/** Four lines that could be prompts, from what can be measured in the pictures. */
export async function describePictures(pictures: readonly Buffer[]): Promise<string[]> {
  const read = await Promise.allSettled(pictures.map(factsOf));
  const facts = read.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (facts.length === 0) return Array.from({ length: LINES }, (_, index) => `${FALLBACK}, version ${index + 1}`);
  return Array.from({ length: LINES }, (_, index) => lineOf(facts[index % facts.length] as Facts, index));
}

function lineOf(facts: Facts, index: number): string {
  const [first = 'grey', second = first, third = second] = facts.colours;
  const lines = [
    `${article(facts.light)} ${facts.aspect} in ${first} and ${second}, ${facts.contrast}, ${facts.detail} ${facts.flags}`,
    `${first} fading into ${second} with touches of ${third}, ${facts.heavy}, ${facts.detail} ${facts.flags}`,
    `study in ${first}, ${facts.contrast}, ${facts.light} mood, ${facts.measured} ${facts.flags}`,
    `${facts.detail}, ${facts.light} ${facts.aspect}, colours of ${second} and ${third} on ${first}, ${facts.heavy} ${facts.flags}`,
  ];
  return lines[index] ?? FALLBACK;
}

const article = (word: string) => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;

async function factsOf(picture: Buffer): Promise<Facts> {
  const { width, height } = await sharp(picture).metadata();
  const grey = await sharp(picture)
    .flatten({ background: '#fff' })
    .toColourspace('b-w')
    .resize(64, 64, { fit: 'fill' })
    .extractChannel(0)
    .raw()
    .toBuffer();
  const colours = await countedColours(picture);
  const mean = meanOf(grey) / 255;
  const spread = Math.sqrt(meanOf(grey.map((value) => Math.min(255, (value / 255 - mean) ** 2 * 1020))) / 1020);
  const busy = busyOf(grey);
  const top = meanOf(grey.subarray(0, grey.length / 2)) / 255;
  const bottom = meanOf(grey.subarray(grey.length / 2)) / 255;
  return {
    colours: namesOf(colours),
    aspect: width > height * 1.15 ? 'wide view' : height > width * 1.15 ? 'tall view' : 'square picture',
    flags: `--ar ${ratioOf(width, height)}`,
    light: mean < 0.22 ? 'dark' : mean < 0.42 ? 'dim' : mean < 0.62 ? 'evenly lit' : mean < 0.8 ? 'bright' : 'pale',
    contrast:
      spread < 0.1
        ? 'very soft contrast'
        : spread < 0.19
          ? 'gentle contrast'
          : spread < 0.28
            ? 'clear contrast'
            : 'hard contrast',
    detail:
      busy < 0.012
        ? 'smooth and empty'
        : busy < 0.03
          ? 'calm, few details'
          : busy < 0.07
            ? 'finely detailed'
            : 'busy, full of detail',
    heavy:
      Math.abs(top - bottom) < 0.06
        ? 'light spread evenly'
        : top > bottom
          ? 'light above, weight below'
          : 'dark above, light below',
    measured: `${Math.round(mean * 100)}% brightness, ${Math.round(spread * 200)}% contrast, ${Math.round((colours[0]?.share ?? 0) * 100)}% of it one colour`,
  };
}

function meanOf(values: Uint8Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / Math.max(1, values.length);
}

/** How much neighbours differ on average, 0 to 1. */
function busyOf(grey: Uint8Array): number {
  let sum = 0;
  for (let index = 1; index < grey.length; index++)
    sum += Math.abs((grey[index] as number) - (grey[index - 1] as number));
  return sum / Math.max(1, grey.length) / 255;
}

const USUAL = ['1:1', '4:3', '3:4', '3:2', '2:3', '16:9', '9:16', '2:1', '1:2', '21:9', '4:5', '5:4'] as const;

function ratioOf(width: number, height: number): string {
  const away = (ratio: string) => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log(width / height / (across / down)));
  };
  return [...USUAL].sort((one, other) => away(one) - away(other))[0] ?? '1:1';
}

function namesOf(colours: readonly MainColour[]): string[] {
  return [...new Set(colours.map(({ red, green, blue }) => nameOf(fromRgb(red, green, blue))))].slice(0, 3);
}

const HUES = [
  'rose',
  'coral red',
  'orange',
  'ochre',
  'yellow',
  'lime',
  'green',
  'emerald',
  'teal',
  'cyan',
  'sky blue',
  'blue',
  'indigo',
  'violet',
  'purple',
  'magenta',
] as const;

function nameOf(colour: Colour): string {
  const chroma = chromaOf(colour);
  if (chroma < 0.022)
    return colour.l < 0.25
      ? 'black'
      : colour.l < 0.5
        ? 'charcoal grey'
        : colour.l < 0.75
          ? 'grey'
          : colour.l < 0.93
            ? 'silver'
            : 'white';
  const turn = (hueOf(colour) / (Math.PI * 2) + 1 + 0.5 / HUES.length) % 1;
  const shade = colour.l < 0.35 ? 'deep ' : colour.l > 0.8 ? 'pale ' : chroma < 0.06 ? 'muted ' : '';
  return shade + (HUES[Math.floor(turn * HUES.length)] ?? 'rose');
}
