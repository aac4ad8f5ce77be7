import { ComponentType } from 'discord-api-types/v10';
import { validateEmoji } from './emoji.ts';
import { validateEnds } from './ends.ts';
import { type JsonObject, listIn, numberIn, objectIn } from './json.ts';
import { field, item, type Violation, violation } from './violation.ts';

const MOST_OPTIONS = 25;

/** Judges the limits and options of selects, uploads and groups. */
export function validateChoosing(component: JsonObject, path: string): Violation[] {
  const options = listIn(component.options);
  // By default, a checkbox group allows all options and every other component allows one.
  const most = component.type === ComponentType.CheckboxGroup ? undefined : 1;
  const ends = validateEnds(component, path, 'min_values', 'max_values', most);
  return [...ends, ...(ends.length === 0 ? validateNumber(component, path) : []), ...validateOptions(options, path)];
}

function validateNumber(component: JsonObject, path: string): Violation[] {
  const { options } = component;
  if (!Array.isArray(options) || options.length === 0) return [];
  const least = Math.max(numberIn(component.min_values) ?? 0, numberIn(component.max_values) ?? 0);
  const at = field(path, 'options');
  // The schema refuses a limit beyond the maximum.
  if (least > options.length && least <= MOST_OPTIONS) {
    return [violation(at, 'BASE_TYPE_BAD_LENGTH', `Must be between ${least} and ${MOST_OPTIONS} in length.`)];
  }
  const most = numberIn(component.max_values) ?? (component.type === ComponentType.CheckboxGroup ? options.length : 1);
  if (options.filter((option) => objectIn(option).default === true).length <= most) return [];
  const message = 'The specified number of default values exceeds the specified maximum values';
  return [violation(at, 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES', message)];
}

function validateOptions(options: readonly unknown[], path: string): Violation[] {
  const seen = new Set<unknown>();
  return options.flatMap((each, index) => {
    const option = objectIn(each);
    const at = item(field(path, 'options'), index);
    const repeats = typeof option.value === 'string' && seen.has(option.value);
    seen.add(option.value);
    const message = 'The specified option value is already used';
    return [
      ...validateEmoji(option.emoji, field(at, 'emoji')),
      ...(repeats ? [violation(field(at, 'value'), 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', message)] : []),
    ];
  });
}
