import { ComponentType } from 'discord-api-types/v10';
import { validateEmoji } from './emoji.ts';
import { asList, asNumber, asObject, isBlank, type JsonObject } from './json.ts';
import { validateRange } from './range.ts';
import { field, item, required, type Violation, violation } from './violation.ts';

const MAX_OPTIONS = 25;

/** Validates the limits and options of selects, file uploads, and radio and checkbox groups. */
export function validateChoiceComponent(component: JsonObject, path: string): Violation[] {
  const options = asList(component.options);
  // By default, a checkbox group allows all options and every other component allows one.
  const max = component.type === ComponentType.CheckboxGroup ? undefined : 1;
  const rangeViolations = validateRange(component, path, 'min_values', 'max_values', max);
  return [
    ...rangeViolations,
    ...(rangeViolations.length === 0 ? validateOptionCount(component, path) : []),
    ...validateDefaultValueCount(component, path),
    ...validateOptions(options, path),
  ];
}

function validateOptionCount(component: JsonObject, path: string): Violation[] {
  const { options } = component;
  if (!Array.isArray(options) || options.length === 0) return [];
  const min = Math.max(asNumber(component.min_values) ?? 0, asNumber(component.max_values) ?? 0);
  const optionsPath = field(path, 'options');
  // The schema refuses a limit beyond the maximum.
  if (min > options.length && min <= MAX_OPTIONS) {
    return [violation(optionsPath, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${MAX_OPTIONS} in length.`)];
  }
  const max = asNumber(component.max_values) ?? (component.type === ComponentType.CheckboxGroup ? options.length : 1);
  if (options.filter((option) => asObject(option).default === true).length <= max) return [];
  const message = 'The specified number of default values exceeds the specified maximum values';
  return [violation(optionsPath, 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES', message)];
}

/** Documented for all selects that Discord fills itself: the default values must be within the limits of the select. */
function validateDefaultValueCount(component: JsonObject, path: string): Violation[] {
  const { default_values: values, min_values: min, max_values: max } = component;
  if (!Array.isArray(values)) return [];
  const [fewest, most] = [asNumber(min) ?? 1, asNumber(max) ?? 1];
  if (values.length >= fewest && values.length <= most) return [];
  const message = `Must be between ${fewest} and ${most} in length.`;
  return [violation(field(path, 'default_values'), 'BASE_TYPE_BAD_LENGTH', message)];
}

function validateOptions(options: readonly unknown[], path: string): Violation[] {
  const seen = new Set<unknown>();
  return options.flatMap((each, index) => {
    const option = asObject(each);
    const optionPath = item(field(path, 'options'), index);
    const isDuplicate = typeof option.value === 'string' && seen.has(option.value);
    seen.add(option.value);
    const message = 'The specified option value is already used';
    return [
      ...validateEmoji(option.emoji, field(optionPath, 'emoji')),
      // The schema refuses an empty label.
      ...(option.label !== '' && isBlank(option.label) ? [required(field(optionPath, 'label'))] : []),
      ...(isDuplicate
        ? [violation(field(optionPath, 'value'), 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', message)]
        : []),
    ];
  });
}
