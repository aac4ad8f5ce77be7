import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { validateEnds } from './ends.ts';
import { isObject, type JsonObject, listIn, objectIn, shown } from './json.ts';
import { repeated, validateLocales, validateName } from './names.ts';
import { field, item, type Violation, violation } from './violation.ts';

/** Group, subcommand and option; the schema refuses deeper nesting. */
const DEPTH = 3;

interface PlacedOption {
  readonly of: JsonObject;
  readonly path: string;
}

const holdsOptions = (type: unknown): boolean =>
  type === ApplicationCommandOptionType.Subcommand || type === ApplicationCommandOptionType.SubcommandGroup;

/** The rules for options that the schema lacks, applied recursively. */
export function validateOptions(options: unknown, path: string, depth = 0): Violation[] {
  if (depth > DEPTH) return [];
  const placed = listIn(options)
    .map((each, index) => ({ of: objectIn(each), path: item(path, index) }))
    .filter(({ of }) => isObject(of));
  return [
    ...validateMixture(placed, path),
    ...validateOrder(placed),
    ...repeated(placed, () => 'option').map(({ of, path: at }) => {
      const message = `Option name ${shown(of.name)} is already used in these options`;
      return violation(at, 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID', message);
    }),
    ...placed.flatMap((option) => validateOption(option, depth)),
  ];
}

function validateMixture(options: readonly PlacedOption[], path: string): Violation[] {
  const holders = options.filter(({ of }) => holdsOptions(of.type)).length;
  if (holders === 0 || holders === options.length) return [];
  const message = 'Sub-command and sub-command group option types are mutually exclusive to all other types';
  return [violation(path, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', message)];
}

function validateOrder(options: readonly PlacedOption[]): Violation[] {
  const optional = options.findIndex(({ of }) => !holdsOptions(of.type) && of.required !== true);
  if (optional === -1) return [];
  const message = 'Required options must be placed before non-required options';
  return options
    .slice(optional)
    .filter(({ of }) => !holdsOptions(of.type) && of.required === true)
    .map(({ path }) => violation(path, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', message));
}

function validateOption({ of, path }: PlacedOption, depth: number): Violation[] {
  const common = [...validateName(of, path, false), ...validateLocales(of, path)];
  if (holdsOptions(of.type)) return [...common, ...validateOptions(of.options, field(path, 'options'), depth + 1)];
  return [
    ...common,
    ...validateChoices(of, path),
    ...validateWhole(of, path),
    ...validateEnds(of, path, 'min_value', 'max_value'),
    ...validateEnds(of, path, 'min_length', 'max_length'),
  ];
}

function validateChoices(option: JsonObject, path: string): Violation[] {
  const at = field(path, 'choices');
  const choices = listIn(option.choices).map((each, index) => ({ of: objectIn(each), path: item(at, index) }));
  const found = choices.flatMap((choice) => validateLocales(choice.of, choice.path));
  if (choices.length > 0 && option.autocomplete === true) {
    const message = 'An option cannot have both choices and autocomplete';
    found.push(violation(field(path, 'autocomplete'), 'APPLICATION_COMMAND_OPTIONS_CHOICES_EXCLUSIVE', message));
  }
  return [
    ...found,
    ...repeated(choices, () => 'choice').map(({ path: at }) =>
      violation(at, 'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_INVALID', 'Choice names must be unique'),
    ),
  ];
}

/** The schema accepts any number for the limits and choices of an integer option. */
function validateWhole(option: JsonObject, path: string): Violation[] {
  if (option.type !== ApplicationCommandOptionType.Integer) return [];
  const places: [string, unknown][] = ['min_value', 'max_value'].map((key) => [field(path, key), option[key]]);
  for (const [index, choice] of listIn(option.choices).entries()) {
    places.push([field(item(field(path, 'choices'), index), 'value'), objectIn(choice).value]);
  }
  return places
    .filter(([, value]) => typeof value === 'number' && !Number.isInteger(value))
    .map(([at, value]) => violation(at, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`));
}
