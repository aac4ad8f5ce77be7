import type { EnteredValue, Option, Options } from '../discord/options.ts';
import { Refusal } from '../lib/refusal.ts';

/** They belong to one request, or are decided before a preset is read. */
const OF_ONE_REQUEST: ReadonlySet<string> = new Set(['prompt', 'about', 'lyrics', 'preset', 'private']);

/** The options of a command that a preset can set. Files are not kept. */
export const presettableOptions = (options: Options): Options =>
  Object.fromEntries(
    Object.entries(options).filter(
      ([name, { type }]) => !OF_ONE_REQUEST.has(name) && (type === 'text' || type === 'number' || type === 'switch'),
    ),
  );

/** The value as the option takes it; undefined if it does not. */
export function valueFor(option: Option, given: unknown): EnteredValue | undefined {
  if (option.type === 'switch') return typeof given === 'boolean' ? given : undefined;
  if (option.type === 'number') {
    const { isInteger, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = option;
    const isValid = typeof given === 'number' && given >= min && given <= max;
    return isValid && (!isInteger || Number.isInteger(given)) ? given : undefined;
  }
  if (option.type !== 'text' || typeof given !== 'string' || given === '') return undefined;
  const isValid = given.length <= (option.max ?? given.length) && (option.choices?.includes(given) ?? true);
  return isValid ? given : undefined;
}

const NAME_AND_COLON = /(?<!\S)([a-z][a-z0-9_]*)\s*:/gi;
const TRUE_WORDS = ['true', 'yes', 'on'];
const FALSE_WORDS = ['false', 'no', 'off'];

/** Reads options as a member types them into a command: `aspect:16:9 style:raw`. */
export function typedPresetOptions(text: string, options: Options): Record<string, EnteredValue> {
  const usable = presettableOptions(options);
  const starts = [...text.matchAll(NAME_AND_COLON)].filter(([, name = '']) =>
    Object.hasOwn(usable, name.toLowerCase()),
  );
  const names = Object.keys(usable);
  const rest = text.slice(0, starts[0]?.index).trim();
  const name = /^(\w+)\s*:/.exec(rest)?.[1];
  if (name !== undefined) throw new Refusal('refusals.presets.optionUnknown', { name, names });
  if (rest !== '') throw new Refusal('refusals.presets.optionFirst', { example: `${names[0]}:…`, names });
  return Object.fromEntries(
    starts.map(({ 0: match, 1: typed = '', index }, position) => {
      const name = typed.toLowerCase();
      const written = text.slice(index + match.length, starts[position + 1]?.index).trim();
      const option = usable[name];
      const value = option && valueFor(option, typedValue(option, written));
      if (value === undefined)
        throw option?.type === 'text' && option.choices
          ? new Refusal('refusals.presets.optionChoice', { name, choices: option.choices })
          : new Refusal('refusals.presets.optionInvalid', { name });
      return [name, value];
    }),
  );
}

function typedValue({ type }: Option, written: string): EnteredValue | undefined {
  const word = written.toLowerCase();
  if (type === 'switch') return TRUE_WORDS.includes(word) || (FALSE_WORDS.includes(word) ? false : undefined);
  return type === 'number' ? Number(written || Number.NaN) : written;
}
