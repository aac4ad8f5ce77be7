import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { asList, asObject, isObject, type JsonObject, toPrintable } from './json.ts';
import { duplicateNames, validateLocales, validateName } from './names.ts';
import { validateRange } from './range.ts';
import { field, item, type Violation, violation } from './violation.ts';

/** Group, subcommand and option; the schema refuses deeper nesting. */
const MAX_DEPTH = 3;

interface OptionAtPath {
  readonly object: JsonObject;
  readonly path: string;
}

const holdsOptions = (type: unknown): boolean =>
  type === ApplicationCommandOptionType.Subcommand || type === ApplicationCommandOptionType.SubcommandGroup;

/** Applies the rules for options that are missing from Discord's schema, recursively. */
export function validateOptions(options: unknown, path: string, depth = 0): Violation[] {
  if (depth > MAX_DEPTH) return [];
  const optionsAtPaths = asList(options)
    .map((each, index) => ({ object: asObject(each), path: item(path, index) }))
    .filter(({ object }) => isObject(object));
  return [
    ...validateOptionTypes(optionsAtPaths, path),
    ...validateOrder(optionsAtPaths),
    ...duplicateNames(optionsAtPaths, () => 'option').map(({ object, path: fieldPath }) => {
      const message = `Option name ${toPrintable(object.name)} is already used in these options`;
      return violation(fieldPath, 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID', message);
    }),
    ...optionsAtPaths.flatMap((option) => validateOption(option, depth)),
  ];
}

function validateOptionTypes(options: readonly OptionAtPath[], path: string): Violation[] {
  const containerCount = options.filter(({ object }) => holdsOptions(object.type)).length;
  if (containerCount === 0 || containerCount === options.length) return [];
  const message = 'Sub-command and sub-command group option types are mutually exclusive to all other types';
  return [violation(path, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', message)];
}

function validateOrder(options: readonly OptionAtPath[]): Violation[] {
  const firstOptional = options.findIndex(({ object }) => !holdsOptions(object.type) && object.required !== true);
  if (firstOptional === -1) return [];
  const message = 'Required options must be placed before non-required options';
  return options
    .slice(firstOptional)
    .filter(({ object }) => !holdsOptions(object.type) && object.required === true)
    .map(({ path }) => violation(path, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', message));
}

function validateOption({ object, path }: OptionAtPath, depth: number): Violation[] {
  const common = [...validateName(object, path, false), ...validateLocales(object, path)];
  if (holdsOptions(object.type))
    return [...common, ...validateOptions(object.options, field(path, 'options'), depth + 1)];
  return [
    ...common,
    ...validateChoices(object, path),
    ...validateIntegers(object, path),
    ...validateRange(object, path, 'min_value', 'max_value'),
    ...validateRange(object, path, 'min_length', 'max_length'),
  ];
}

function validateChoices(option: JsonObject, path: string): Violation[] {
  const fieldPath = field(path, 'choices');
  const choices = asList(option.choices).map((each, index) => ({
    object: asObject(each),
    path: item(fieldPath, index),
  }));
  const found = choices.flatMap((choice) => validateLocales(choice.object, choice.path));
  if (choices.length > 0 && option.autocomplete === true) {
    const message = 'An option cannot have both choices and autocomplete';
    found.push(violation(field(path, 'autocomplete'), 'APPLICATION_COMMAND_OPTIONS_CHOICES_EXCLUSIVE', message));
  }
  return [
    ...found,
    ...duplicateNames(choices, () => 'choice').map(({ path: choicePath }) =>
      violation(choicePath, 'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_INVALID', 'Choice names must be unique'),
    ),
  ];
}

/** The schema accepts any number for the limits and choices of an integer option. */
function validateIntegers(option: JsonObject, path: string): Violation[] {
  if (option.type !== ApplicationCommandOptionType.Integer) return [];
  const numbers: [string, unknown][] = ['min_value', 'max_value'].map((key) => [field(path, key), option[key]]);
  for (const [index, choice] of asList(option.choices).entries()) {
    numbers.push([field(item(field(path, 'choices'), index), 'value'), asObject(choice).value]);
  }
  return numbers
    .filter(([, value]) => typeof value === 'number' && !Number.isInteger(value))
    .map(([fieldPath, value]) => violation(fieldPath, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`));
}
