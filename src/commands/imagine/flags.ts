import { Refusal } from '../../lib/refusal.ts';

/** What the options say as far as it becomes flags, which this family writes inside the prompt (specification, 4.3). */
export interface Wishes {
  aspect?: string | undefined;
  style?: string | undefined;
  quality?: string | undefined;
  version?: string | undefined;
  stylize?: number | undefined;
  chaos?: number | undefined;
  weird?: number | undefined;
  weight?: number | undefined;
  seed?: number | undefined;
  tile?: boolean | undefined;
  negative?: string | undefined;
}

export const ranges = {
  stylize: { least: 0, most: 1_000 },
  chaos: { least: 0, most: 100 },
  weird: { least: 0, most: 3_000 },
  weight: { least: 0, most: 3 },
  seed: { least: 0, most: 4_294_967_295 },
} as const;

interface Flag {
  /** All that members write for it. */
  spellings: readonly string[];
  range?: { least: number; most: number };
  write(wishes: Wishes): string | undefined;
}

/** In the order in which they are written; what is left out goes to the end, because it is words up to the next flag. */
const FLAGS: readonly Flag[] = [
  { spellings: ['ar', 'aspect'], write: ({ aspect }) => valued('ar', aspect) },
  { spellings: ['v', 'version', 'niji'], write: ({ version }) => engine(version) },
  { spellings: ['style'], write: ({ style }) => valued('style', style) },
  { spellings: ['q', 'quality'], write: ({ quality }) => valued('quality', quality) },
  { spellings: ['s', 'stylize'], range: ranges.stylize, write: ({ stylize }) => valued('stylize', stylize) },
  { spellings: ['c', 'chaos'], range: ranges.chaos, write: ({ chaos }) => valued('chaos', chaos) },
  { spellings: ['w', 'weird'], range: ranges.weird, write: ({ weird }) => valued('weird', weird) },
  { spellings: ['iw'], range: ranges.weight, write: ({ weight }) => valued('iw', weight) },
  { spellings: ['seed'], range: ranges.seed, write: ({ seed }) => valued('seed', seed) },
  { spellings: ['tile'], write: ({ tile }) => (tile ? '--tile' : undefined) },
  { spellings: ['no'], write: ({ negative }) => valued('no', plainWords(negative)) },
];

/** The flags that options add to what a member typed. What is typed wins, so no flag stands there twice. */
export function flagsFor(words: string, wishes: Wishes): string[] {
  const typed = new Set(flagsIn(words).map(({ name }) => name));
  return FLAGS.filter(({ spellings }) => !spellings.some((spelling) => typed.has(spelling))).flatMap(
    ({ write }) => write(wishes) ?? [],
  );
}

/** Wherever a number comes from, the gateway would take the order, and fail at it later. */
export function outOfRange(prompt: string): Refusal | undefined {
  for (const { name, number } of flagsIn(prompt)) {
    const range = FLAGS.find(({ spellings }) => spellings.includes(name))?.range;
    if (!range || number === undefined) continue;
    const { least, most } = range;
    if (Number(number) >= least && Number(number) <= most) continue;
    return new Refusal('refusals.optionOutOfRange', { flag: `--${name}`, least: String(least), most: String(most) });
  }
  return undefined;
}

/** Flags inside of what is to be left out would be a second way to set them. */
export function flagInNegative({ negative = '' }: Wishes): Refusal | undefined {
  const [flag] = flagsIn(negative);
  return flag && new Refusal('refusals.optionNegativeHasFlag', { flag: `--${flag.name}` });
}

/** Phones make one long dash of two short ones. A dash inside a word or an address begins no flag. */
const FLAG = /(?<!\S)(?:--|[–—])(?<name>\p{L}+)(?![\p{L}_-])(?:[\s=:]*(?<number>[-+]?(?:\d+\.?\d*|\.\d+)))?/gu;

function flagsIn(text: string): { name: string; number: string | undefined }[] {
  return [...text.matchAll(FLAG)].map(({ groups }) => ({
    name: groups?.name?.toLowerCase() ?? '',
    number: groups?.number,
  }));
}

function valued(name: string, value: string | number | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : `--${name} ${value}`;
}

/** "7" is a version of the one engine, "niji 7" of the other. */
function engine(version: string | undefined): string | undefined {
  return version?.startsWith('niji ') ? `--${version}` : valued('v', version);
}

function plainWords(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, ' ').trim();
}
