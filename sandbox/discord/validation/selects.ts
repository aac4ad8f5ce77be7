import { ComponentType } from 'discord-api-types/v10';
import { validateEmoji } from './emoji.ts';
import { type JsonObject, listIn, numberIn, objectIn } from './json.ts';
import { validateRange } from './range.ts';
import { field, item, type Violation, violation } from './violation.ts';

const MAX_OPTIONS = 25;

/** Validates the limits and options of selects, file uploads, and radio and checkbox groups. */
export function validateChoiceComponent(component: JsonObject, path: string): Violation[] {
  const options = listIn(component.options);
  // By default, a checkbox group allows all options and every other component allows one.
  const max = component.type === ComponentType.CheckboxGroup ? undefined : 1;
  const rangeViolations = validateRange(component, path, 'min_values', 'max_values', max);
  return [
    ...rangeViolations,
    ...(rangeViolations.length === 0 ? validateOptionCount(component, path) : []),
    ...validateOptions(options, path),
  ];
}

function validateOptionCount(component: JsonObject, path: string): Violation[] {
  const { options } = component;
  if (!Array.isArray(options) || options.length === 0) return [];
  const min = Math.max(numberIn(component.min_values) ?? 0, numberIn(component.max_values) ?? 0);
  const at = field(path, 'options');
  // The schema refuses a limit beyond the maximum.
  if (min > options.length && min <= MAX_OPTIONS) {
    return [violation(at, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${MAX_OPTIONS} in length.`)];
  }
  const max = numberIn(component.max_values) ?? (component.type === ComponentType.CheckboxGroup ? options.length : 1);
  if (options.filter((option) => objectIn(option).default === true).length <= max) return [];
  const message = 'The specified number of default values exceeds the specified maximum values';
  return [violation(at, 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES', message)];
}

function validateOptions(options: readonly unknown[], path: string): Violation[] {
  const seen = new Set<unknown>();
  return options.flatMap((each, index) => {
    const option = objectIn(each);
    const at = item(field(path, 'options'), index);
    const isDuplicate = typeof option.value === 'string' && seen.has(option.value);
    seen.add(option.value);
    const message = 'The specified option value is already used';
    return [
      ...validateEmoji(option.emoji, field(at, 'emoji')),
      ...(isDuplicate ? [violation(field(at, 'value'), 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', message)] : []),
    ];
  });
}
