import { type PresetUse, presetOption, type Suggestion } from '../discord/handlers.ts';
import type { EnteredValue, EnteredValues, Option, Options } from '../discord/options.ts';
import { withTimeout } from '../lib/clock.ts';
import { keysOf } from '../lib/entries.ts';
import { Refusal } from '../lib/refusal.ts';
import { hasVisibleText } from '../lib/text.ts';
import { STORE_TIMEOUT_MS } from '../messages/pressed-task.ts';
import type { PreferencePlace } from '../services/orders/preferences.ts';
import {
  fillTemplate,
  type Preset,
  type PresetCommand,
  type PresetContent,
  takesText,
} from '../services/orders/preset.ts';
import type { Context, Services } from './feature.ts';
import { flagIn, flagOptions, flagsFor, flagsMissingIn, splitFlags } from './imagine/flags.ts';

/** The option whose text takes the place of `{prompt}`. */
export const textOptionOf = (command: PresetCommand) => (command === 'music' ? 'about' : 'prompt');

/** The name under which `commandsByFullName` has it. */
export const commandNameOf = (command: string): string => (command === 'music' ? 'music make' : command);

/** Who owns a preset, as pages and suggestions name it. */
export const presetLevel = ({ memberId, guildId }: Preset) =>
  guildId === undefined ? (memberId === undefined ? 'bot' : 'own') : 'server';

export const presetPlace = ({ facts: { userId: memberId, ...place } }: Context): PreferencePlace => ({
  ...place,
  memberId,
});

export async function suggestPresets(
  input: string,
  context: Context,
  isWanted: (preset: Preset) => boolean = () => true,
): Promise<Suggestion[]> {
  const { tasks, clock } = context.services;
  const known = await withTimeout(clock, STORE_TIMEOUT_MS, tasks.presets.listFor(presetPlace(context)));
  const searched = input.trim().toLowerCase();
  return (known ?? tasks.presets.operators)
    .filter((preset) => isWanted(preset) && preset.name.toLowerCase().includes(searched))
    .map((preset) => ({
      name: context.say(`presets.suggestions.${presetLevel(preset)}`, { name: preset.name }),
      value: preset.id,
    }));
}

/** The option `preset` of a command that makes something. */
export const presetsFor = (command: PresetCommand): PresetUse<Services> => ({
  suggest: (input, context) => suggestPresets(input, context, (preset) => preset.command === command),
  async run(entered, context, run) {
    const { presets } = context.services.tasks;
    const preset = await presets.find(String(entered.preset), presetPlace(context), command);
    const { values, ...used } = withPreset(preset, entered);
    const result = await run(values, { ...context, preset: { template: preset.template, ...used } });
    await presets.countUse(preset);
    return result;
  },
});

/** What was entered, with the values of a preset where nothing was. `names`: the options whose values are the preset's. */
export function withPreset({ command, template, options }: PresetContent, entered: EnteredValues) {
  const textOption = textOptionOf(command);
  const text = String(entered[textOption] ?? '').trim();
  const given = Object.fromEntries(Object.entries(entered).filter(([name]) => !(name in presetOption)));
  // A song with lyrics has no description, so that only the options apply.
  const isUnused = command === 'music' && (entered.lyrics !== undefined || (text === '' && template === '{prompt}'));
  const filled = isUnused ? { prompt: undefined, names: [] } : filledPrompt(template, text, given, command);
  const typed = command === 'imagine' ? flagNamesIn(text) : [];
  const unset = keysOf(options).filter((name) => !(name in given) && !typed.some((one) => one === name));
  const names = new Set<string>([...unset, ...filled.names]);
  if (filled.prompt !== undefined && filled.prompt !== text) names.add(textOption);
  const values = { ...options, ...given, ...(filled.prompt !== undefined && { [textOption]: filled.prompt }) };
  return { values, text, names };
}

function filledPrompt(template: string, text: string, entered: EnteredValues, command: PresetCommand) {
  const typed = command === 'imagine' ? splitFlags(text) : { words: text, flags: [] };
  if (takesText(template) && !hasVisibleText(typed.words)) throw new Refusal('refusals.presets.promptMissing');
  if (command !== 'imagine') return { prompt: fillTemplate(template, text), names: [] };
  return imaginePrompt(template, text, entered);
}

/** The template of `/imagine` with a member's text, without the flags that they typed or chose. `names`: the options that flags of the template stand for. */
export function imaginePrompt(template: string, text: string, entered: EnteredValues) {
  const typed = splitFlags(text);
  const { words, flags } = splitFlags(template);
  const parts = takesText(template) ? [words, ...flags] : [`${words} {prompt}`, ...flags];
  const [filledWords = '', ...filledFlags] = parts.map((part) =>
    fillTemplate(part, takesText(part) ? typed.words : ''),
  );
  const kept = flagsMissingIn([text, ...flagsFor(text, entered)].join(' '), filledFlags);
  return { prompt: [filledWords, ...typed.flags, ...kept].join(' ').trim(), names: flagNamesIn(kept.join(' ')) };
}

const flagNamesIn = (text: string) => keysOf(flagOptions).filter((name) => flagIn(text, name) !== undefined);

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
