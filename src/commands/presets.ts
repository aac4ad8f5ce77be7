import { type PresetUse, presetOption, type Suggestion } from '../discord/handlers.ts';
import type { EnteredValues } from '../discord/options.ts';
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

/**
 * The template of `/imagine` with a member's text. A flag of the template is left out if the member has typed it or chosen its option. `names`:
 * the options that flags of the template stand for.
 */
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
