import type { Values } from '../../discord/options.ts';
import { keysOf } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasVisibleText } from '../../lib/text.ts';

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

/** All names of an option's flag; the first one is written. `--no` is last, because its text extends to the next flag. */
const SPELLINGS: Readonly<Record<keyof FlagValues, readonly [string, ...string[]]>> = {
  aspect: ['ar', 'aspect'],
  version: ['v', 'version', 'niji'],
  style: ['style'],
  quality: ['quality', 'q'],
  stylize: ['stylize', 's'],
  chaos: ['chaos', 'c'],
  weird: ['weird', 'w'],
  weight: ['iw'],
  seed: ['seed'],
  tile: ['tile'],
  negative: ['no'],
};

/** The flags that options add to the typed prompt. A typed flag takes precedence, so no flag appears twice. */
export function flagsFor(
  words: string,
  values: { readonly [Name in keyof FlagValues]: string | number | boolean | undefined },
): string[] {
  const typedFlags = new Set(flagsIn(words).map(({ name }) => name));
  const options = keysOf(SPELLINGS).filter((option) => !SPELLINGS[option].some((name) => typedFlags.has(name)));
  return options.flatMap((option) => flagText(option, values[option]) ?? []);
}

function flagText(option: keyof FlagValues, value: string | number | boolean | undefined): string | undefined {
  const [name] = SPELLINGS[option];
  const text = String(value ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '' || value === false) return undefined;
  if (value === true) return `--${name}`;
  // "7" is a version of one engine, "niji 7" of another.
  return option === 'version' && text.startsWith('niji ') ? `--${text}` : `--${name} ${text}`;
}

/** The flags that settings can set. */
export const usualFlags = ['aspect', 'version', 'quality', 'stylize'] as const;

export const flagIn = (text: string, option: keyof FlagValues): string | undefined =>
  flagsIn(text).find(({ name }) => SPELLINGS[option].includes(name))?.value;

/** Separates the words of a text from its flags, each with all that follows it. */
export function splitFlags(text: string): { words: string; flags: string[] } {
  const starts = [...text.matchAll(FLAG_PATTERN)].map(({ index }) => index);
  const flags = starts.map((start, position) => text.slice(start, starts[position + 1]).trim());
  return { words: text.slice(0, starts[0]).trim(), flags };
}

/** Those of the flags that set nothing that a prompt already sets. */
export function flagsMissingIn(prompt: string, flags: readonly string[]): string[] {
  const namesFor = (name: string): readonly string[] =>
    Object.values(SPELLINGS).find((spellings) => spellings.includes(name)) ?? [name];
  const given = new Set(flagsIn(prompt).map(({ name }) => name));
  return flags.filter((flag) => flagsIn(flag).every(({ name }) => !namesFor(name).some((one) => given.has(one))));
}

/** Adds a suffix to a text: its words before the flags, because engines take no words after one, and of its flags those that the text does not set. */
export function addSuffix(text: string, suffix: string): string {
  const [entered, added] = [splitFlags(text), splitFlags(suffix)];
  const worded = [entered.words, added.words, ...entered.flags].join(' ').trim();
  return [worded, ...flagsMissingIn(worded, added.flags)].join(' ').trim();
}

/** The numbers that typed flags accept. Engines have versions that the option does not list, with one digit before the point. */
const RANGES = { ...flagOptions, quality: { min: 0.25, max: 4 }, version: { min: 1, max: 9.9 } };
const ZOOM_RANGE = { min: 1, max: 2 };

/** Refuses values that the gateway would accept first and fail on later, whether typed or chosen as an option. */
export function flagValueRefusal(prompt: string): Refusal | undefined {
  for (const { name, value } of flagsIn(prompt)) {
    // Braces contain several values, which make several prompts of one.
    const option = value.startsWith('{') ? undefined : keysOf(SPELLINGS).find((one) => SPELLINGS[one].includes(name));
    const flag = `--${name}`;
    if (option === 'aspect' && !isRatio(value)) return new Refusal('refusals.optionNotRatio', { flag });
    if (option === 'negative' || option === 'style') {
      if (value === '') return new Refusal('refusals.optionValueMissing', { flag });
      continue;
    }
    // The engine of this flag has a default version.
    if (name === 'niji' && value === '') continue;
    const range = name === 'zoom' ? ZOOM_RANGE : option && RANGES[option];
    if (!range || !('min' in range)) continue;
    const { min, max } = range;
    const number = Number.parseFloat(value);
    if (!(number >= min && number <= max))
      return new Refusal('refusals.optionOutOfRange', { flag, min: String(min), max: String(max) });
  }
  return undefined;
}

/** Separates the flag that repeats a prompt, which the bot carries out itself. An invalid value stays in the prompt, and is refused with it. */
export function takeRepeat(prompt: string): { prompt: string; repeat?: number } {
  let repeat: number | undefined;
  const rest = prompt.replace(FLAG_PATTERN, (flag, name: string, value = '') => {
    if (!REPEAT_FLAGS.has(name.toLowerCase()) || !/^[1-9]\d{0,5}$/.test(value)) return flag;
    repeat = Number(value);
    return '';
  });
  return repeat === undefined ? { prompt } : { prompt: rest.replace(/ {2,}/g, ' ').trim(), repeat };
}

const REPEAT_FLAGS: ReadonlySet<string> = new Set(['repeat', 'r']);

const isRatio = (value: string): boolean => {
  const [width = 0, height = 0] = value.split(':').map(Number.parseFloat);
  return width > 0 && height > 0;
};

/** Refuses a request that lacks what its flags apply to. A prompt can begin with URLs of images. */
export function flagSubjectRefusal(prompt: string, hasImages: boolean): Refusal | undefined {
  if (hasImages || /https?:/i.test(prompt)) return undefined;
  if (!hasVisibleText(prompt.replace(FLAG_PATTERN, ''))) return new Refusal('refusals.optionPromptOnlyFlags');
  return flagsIn(prompt).some(({ name }) => name === 'iw') ? new Refusal('refusals.optionWeightNoImage') : undefined;
}

export const hasZoom = (prompt: string): boolean =>
  flagsIn(prompt).some(({ name, value }) => name === 'zoom' && Number.parseFloat(value) > 0);

/** Refuses a negative prompt that contains a flag, because the flag would take effect. */
export function negativeFlagRefusal({ negative = '' }: FlagValues): Refusal | undefined {
  const [flag] = flagsIn(negative);
  return flag && new Refusal('refusals.optionNegativeHasFlag', { flag: `--${flag.name}` });
}

/** Phones replace two hyphens with a dash. A dash inside a word or a URL does not start a flag. */
const FLAG_PATTERN = /(?<!\S)(?:--|[–—])(?<name>\p{L}+)(?![\p{L}_'’-])(?:[\s=:]*(?<value>(?!--|[–—])[^\s=:]\S*))?/gu;

const flagsIn = (text: string): { name: string; value: string }[] =>
  [...text.matchAll(FLAG_PATTERN)].map(({ groups }) => ({
    name: groups?.name?.toLowerCase() ?? '',
    value: groups?.value ?? '',
  }));
