import type { Values } from '../../discord/options.ts';
import { Refusal } from '../../lib/refusal.ts';

const MAX_NEGATIVE_LENGTH = 500;

const oneOf = (...choices: string[]) => ({ type: 'text', choices }) as const;
const wholeNumber = { type: 'number', isInteger: true } as const;

/** The options that become flags, which the image-prompt family expects inside the prompt (specification, 4.3). */
export const flagOptions = {
  aspect: oneOf('1:1', '3:2', '2:3', '4:3', '3:4', '16:9', '9:16', '21:9'),
  negative: { type: 'text', max: MAX_NEGATIVE_LENGTH },
  weight: { type: 'number', min: 0, max: 3 },
  style: oneOf('raw', 'cute', 'expressive', 'original', 'scenic'),
  version: oneOf('7', '6.1', '6', '5.2', 'niji 7', 'niji 6', 'niji 5'),
  quality: oneOf('0.25', '0.5', '1', '2', '4'),
  stylize: { ...wholeNumber, min: 0, max: 1_000 },
  chaos: { ...wholeNumber, min: 0, max: 100 },
  weird: { ...wholeNumber, min: 0, max: 3_000 },
  seed: { ...wholeNumber, min: 0, max: 4_294_967_295 },
  tile: { type: 'switch' },
} as const;

export type FlagValues = Partial<Values<typeof flagOptions>>;

interface Flag {
  /** All names that members use for the flag. */
  spellings: readonly string[];
  range?: { min: number; max: number };
  write(values: FlagValues): string | undefined;
}

/** In the order in which they are written; `--no` is last, because its text extends to the next flag. */
const FLAGS: readonly Flag[] = [
  { spellings: ['ar', 'aspect'], write: ({ aspect }) => flagText('ar', aspect) },
  { spellings: ['v', 'version', 'niji'], write: ({ version }) => versionFlag(version) },
  { spellings: ['style'], write: ({ style }) => flagText('style', style) },
  { spellings: ['q', 'quality'], write: ({ quality }) => flagText('quality', quality) },
  { spellings: ['s', 'stylize'], range: flagOptions.stylize, write: ({ stylize }) => flagText('stylize', stylize) },
  { spellings: ['c', 'chaos'], range: flagOptions.chaos, write: ({ chaos }) => flagText('chaos', chaos) },
  { spellings: ['w', 'weird'], range: flagOptions.weird, write: ({ weird }) => flagText('weird', weird) },
  { spellings: ['iw'], range: flagOptions.weight, write: ({ weight }) => flagText('iw', weight) },
  { spellings: ['seed'], range: flagOptions.seed, write: ({ seed }) => flagText('seed', seed) },
  { spellings: ['tile'], write: ({ tile }) => (tile ? '--tile' : undefined) },
  { spellings: ['no'], write: ({ negative }) => flagText('no', negative?.replace(/\s+/g, ' ').trim()) },
];

/** The flags that options add to the typed prompt. A typed flag takes precedence, so no flag appears twice. */
export function flagsFor(words: string, values: FlagValues): string[] {
  const typedFlags = new Set(flagsIn(words).map(({ name }) => name));
  return FLAGS.filter(({ spellings }) => !spellings.some((spelling) => typedFlags.has(spelling))).flatMap(
    ({ write }) => write(values) ?? [],
  );
}

/** Refuses numbers that the gateway would accept first and fail on later, whether typed or chosen as an option. */
export function outOfRangeRefusal(prompt: string): Refusal | undefined {
  for (const { name, number } of flagsIn(prompt)) {
    const range = FLAGS.find(({ spellings }) => spellings.includes(name))?.range;
    if (!range || number === undefined) continue;
    const { min, max } = range;
    if (Number(number) >= min && Number(number) <= max) continue;
    return new Refusal('refusals.optionOutOfRange', { flag: `--${name}`, min: String(min), max: String(max) });
  }
  return undefined;
}

/** Refuses a negative prompt that contains a flag, because the flag would take effect. */
export function negativeFlagRefusal({ negative = '' }: FlagValues): Refusal | undefined {
  const [flag] = flagsIn(negative);
  return flag && new Refusal('refusals.optionNegativeHasFlag', { flag: `--${flag.name}` });
}

/** Phones replace two hyphens with a dash. A dash inside a word or a URL does not start a flag. */
const FLAG_PATTERN = /(?<!\S)(?:--|[–—])(?<name>\p{L}+)(?![\p{L}_-])(?:[\s=:]*(?<number>[-+]?(?:\d+\.?\d*|\.\d+)))?/gu;

function flagsIn(text: string): { name: string; number: string | undefined }[] {
  return [...text.matchAll(FLAG_PATTERN)].map(({ groups }) => ({
    name: groups?.name?.toLowerCase() ?? '',
    number: groups?.number,
  }));
}

const flagText = (name: string, value: string | number | undefined): string | undefined =>
  value === undefined || value === '' ? undefined : `--${name} ${value}`;

/** "7" is a version of one engine, "niji 7" of another. */
const versionFlag = (version: string | undefined): string | undefined =>
  version?.startsWith('niji ') ? `--${version}` : flagText('v', version);
