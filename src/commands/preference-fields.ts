import { choiceField, type FieldPlan, type FormValues } from '../discord/plan.ts';
import { keysOf, withoutUndefined } from '../lib/entries.ts';
import { languageName, languages } from '../lib/languages.ts';
import { Mistakes } from '../lib/mistakes.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Strings } from '../locales/strings.ts';
import {
  answerLengths,
  answerTones,
  MAX_PERSONA_LENGTH,
  MAX_PERSONA_NAME_LENGTH,
  MAX_SUFFIX_LENGTH,
  modelPurposes,
  type OwnPreferences,
  type PreferenceLevel,
  type PreferenceSection,
  type PreferenceSet,
  pings,
  preferenceSet,
} from '../services/orders/preference-set.ts';
import type { Context } from './feature.ts';
import { flagOptions, flagSubjectRefusal, flagValueRefusal } from './imagine/flags.ts';
import { modelField, modelsForForm } from './options.ts';

export type FieldName = keyof Strings['settings']['fields'];
export type ChoiceName = keyof Strings['settings']['choices'];

/** The value of a choice that leaves the decision to the next level. */
const UNSET = 'unset';
const SWITCH = ['on', 'off'] as const;
const CHOSEN_FLAGS = ['aspect', 'version', 'quality'] as const;

/** A switch as the value of its choice. */
export const switchName = (isOn: boolean | undefined) => (isOn === undefined ? undefined : isOn ? 'on' : 'off');
const switchIn = (value: string | undefined) => (value === 'on' ? true : value === 'off' ? false : undefined);

/** What the fields of these forms have in common. */
function fieldMakers({ say }: Context) {
  const label = (name: FieldName) => ({ name, label: say(`settings.fields.${name}`) });
  const choice = <Value extends string>(
    name: FieldName,
    values: readonly Value[],
    chosen: Value | undefined,
    nameOf: (value: Value) => string = (value) => value,
  ) => {
    const labelOf = (value: Value | typeof UNSET) => (value === UNSET ? say('settings.choices.unset') : nameOf(value));
    return choiceField(name, label(name).label, [UNSET, ...values], labelOf, chosen ?? UNSET);
  };
  return {
    label,
    choice,
    text: (name: FieldName, value: string | number | undefined, max: number, isLong = false) => ({
      ...label(name),
      type: 'text' as const,
      value: String(value ?? ''),
      max,
      isLong,
    }),
    radio: (name: FieldName, values: readonly ChoiceName[], chosen: ChoiceName | undefined) => ({
      ...choice(name, values, chosen, (value) => say(`settings.choices.${value}`)),
      isRadio: true as const,
    }),
  };
}

/** The fields of the form for a section, with the values that are set. */
export async function preferenceFields(
  of: PreferenceLevel,
  section: PreferenceSection,
  { set, persona }: OwnPreferences,
  context: Context,
): Promise<FieldPlan[]> {
  const { say, services } = context;
  const { label, choice, text, radio } = fieldMakers(context);
  const model = async (name: FieldName, purpose: (typeof modelPurposes)[number], value: string | undefined) => {
    const { models } = await modelsForForm(purpose, undefined, context);
    const facts = { value, label: label(name).label, hint: say('settings.modelHint'), isSetting: true as const };
    return { ...modelField(purpose, facts, models), name };
  };
  switch (section) {
    case 'models':
      return Promise.all(modelPurposes.map((purpose) => model(purpose, purpose, set.models?.[purpose])));
    case 'images':
      return [
        ...CHOSEN_FLAGS.map((name) => choice(name, flagOptions[name].choices, set[name])),
        { ...text('stylize', set.stylize, 4), hint: say('settings.stylizeHint') },
        { ...text('suffix', set.suffix, MAX_SUFFIX_LENGTH, true), hint: say('settings.suffixHint') },
      ];
    case 'replies':
      return [
        { ...radio('private', SWITCH, switchName(set.isPrivate)), hint: say('settings.privateHint') },
        radio('spoiler', SWITCH, switchName(set.spoiler)),
        radio('ping', pings, set.ping),
        {
          ...radio('remix', SWITCH, switchName(set.remix)),
          hint: say(services.settings.gateway.remix ? 'settings.remixHint' : 'settings.partialRemixHint'),
        },
        {
          ...choice('language', languages, set.language, languageName),
          hint: say(of === 'channel' ? 'settings.channelLanguageHint' : 'settings.languageHint'),
        },
      ];
    case 'answers':
      return [radio('length', answerLengths, set.length), radio('tone', answerTones, set.tone)];
    case 'persona':
      return [
        text('name', persona?.name, MAX_PERSONA_NAME_LENGTH),
        text('instructions', persona?.instructions, MAX_PERSONA_LENGTH, true),
        await model('personaModel', 'text', persona?.model),
        {
          ...radio('mentions', SWITCH, switchName(persona?.answersMentions ?? true)),
          hint: say('settings.mentionsHint'),
        },
      ];
  }
}

/** The preferences with what was entered for a section, or a refusal that follows from that alone. */
export function withEntered(
  section: PreferenceSection,
  { fields }: FormValues,
): ((known: OwnPreferences) => OwnPreferences) | Refusal {
  const value = (name: FieldName): string | undefined => {
    const entered = fields[name]?.trim();
    return entered === '' || entered === UNSET ? undefined : entered;
  };
  if (section === 'persona') {
    const [name, instructions, model] = [value('name'), value('instructions'), value('personaModel')];
    if ((name === undefined) !== (instructions === undefined))
      return new Refusal('refusals.settings.personaIncomplete');
    const answersMentions = switchIn(value('mentions')) !== false;
    const persona =
      name !== undefined && instructions !== undefined ? { name, instructions, model, answersMentions } : undefined;
    return (known) => {
      if (!persona && !known.persona && !answersMentions) throw new Refusal('refusals.settings.personaIncomplete');
      return { set: known.set, persona };
    };
  }
  const entered = enteredSet(section, value);
  if (entered instanceof Refusal) return entered;
  const { success } = preferenceSet.safeParse(withoutUndefined(entered));
  // A form can be forged.
  if (!success) return new Refusal('refusals.unknownButton');
  return ({ set, persona }) => ({ set: preferenceSet.parse(withoutUndefined({ ...set, ...entered })), persona });
}

type SetChanges = { [Name in keyof PreferenceSet]: unknown };

function enteredSet(
  section: Exclude<PreferenceSection, 'persona'>,
  value: (name: FieldName) => string | undefined,
): SetChanges | Refusal {
  switch (section) {
    case 'models': {
      const models = withoutUndefined(Object.fromEntries(modelPurposes.map((purpose) => [purpose, value(purpose)])));
      return { models: keysOf(models).length === 0 ? undefined : models };
    }
    case 'images': {
      const stylize = value('stylize');
      const flags = { aspect: value('aspect'), version: value('version'), quality: value('quality') };
      const suffix = value('suffix');
      const mistakes = new Mistakes();
      if (stylize !== undefined && !(/^\d+$/.test(stylize) && Number(stylize) <= flagOptions.stylize.max))
        mistakes.add(new Refusal('refusals.settings.stylize'));
      // The flag for the weight of images needs images, which most prompts do not have.
      const refusal = flagValueRefusal(suffix ?? '') ?? flagSubjectRefusal(`prompt ${suffix ?? ''}`, false);
      if (refusal) mistakes.add(refusal);
      mistakes.throwIfAny();
      const isChoice = (name: keyof typeof flags) => flagOptions[name].choices.includes(flags[name] ?? '');
      if (keysOf(flags).some((name) => flags[name] !== undefined && !isChoice(name)))
        return new Refusal('refusals.unknownButton');
      return { ...flags, stylize: stylize === undefined ? undefined : Number.parseInt(stylize, 10), suffix };
    }
    case 'replies':
      return {
        isPrivate: switchIn(value('private')),
        spoiler: switchIn(value('spoiler')),
        ping: value('ping'),
        remix: switchIn(value('remix')),
        language: value('language'),
      };
    case 'answers':
      return { length: value('length'), tone: value('tone') };
  }
}
