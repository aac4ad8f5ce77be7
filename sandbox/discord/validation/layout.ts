import { ComponentType, MessageFlags } from 'discord-api-types/v10';
import { asList, asNumber, asObject, asString, isAbsent, type JsonObject } from './json.ts';
import { flattenComponents } from './tree.ts';
import { field, item, type Violation, violation } from './violation.ts';

const MAX_ROWS = 5;
const MAX_COMPONENTS = 40;
const MAX_TEXT_LENGTH = 4000;

/** The layout of a message; `unknown` if an edit has no flags and those of the message are not known either. */
export type Layout = 'rows' | 'components-v2' | 'unknown';

const hasV2 = (flags: number): boolean => (flags & MessageFlags.IsComponentsV2) !== 0;

export function layoutOf(message: JsonObject, isEdit: boolean, previousFlags: number | undefined): Layout {
  const flags = asNumber(message.flags);
  if (hasV2((flags ?? 0) | (previousFlags ?? 0))) return 'components-v2';
  return isEdit && previousFlags === undefined && flags === undefined ? 'unknown' : 'rows';
}

/** https://discord.com/developers/docs/components/reference#component-reference */
export function validateLayout(
  message: JsonObject,
  layout: Layout,
  path: string,
  previousFlags: number | undefined,
): Violation[] {
  if (layout === 'unknown') return [];
  const componentsPath = field(path, 'components');
  if (layout === 'rows') return validateRows(asList(message.components), componentsPath);
  return [
    ...validateFlag(message, path, previousFlags),
    ...validateLegacyFields(message, path),
    ...validateTotals(message, componentsPath),
  ];
}

function validateRows(components: readonly unknown[], componentsPath: string): Violation[] {
  const violations = components.flatMap((component, index) => {
    const { type } = asObject(component);
    // The schema refuses unknown components.
    if (type === ComponentType.ActionRow || !TOP_LEVEL.has(type)) return [];
    return [violation(item(componentsPath, index), 'UNION_TYPE_CHOICES', 'Value of field "type" must be one of (1,).')];
  });
  if (components.length > MAX_ROWS) {
    violations.push(violation(componentsPath, 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_ROWS} or fewer in length.`));
  }
  return violations;
}

const TOP_LEVEL: ReadonlySet<unknown> = new Set([
  ComponentType.ActionRow,
  ComponentType.Section,
  ComponentType.TextDisplay,
  ComponentType.MediaGallery,
  ComponentType.File,
  ComponentType.Separator,
  ComponentType.Container,
]);

function validateFlag(message: JsonObject, path: string, previousFlags: number | undefined): Violation[] {
  const flags = asNumber(message.flags);
  if (flags === undefined || previousFlags === undefined || !hasV2(previousFlags) || hasV2(flags)) return [];
  const reason = 'MessageFlags.IS_COMPONENTS_V2 cannot be removed from a message that has it';
  return [violation(field(path, 'flags'), 'MESSAGE_COMPONENTS_V2_FLAG_REMOVED', reason)];
}

function validateLegacyFields(message: JsonObject, path: string): Violation[] {
  const usedFields = [
    ...(asString(message.content) === '' ? [] : ['content']),
    ...['embeds', 'sticker_ids'].filter((name) => asList(message[name]).length > 0),
    ...(isAbsent(message.poll) ? [] : ['poll']),
  ];
  const code = 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2';
  return usedFields.map((name) =>
    violation(field(path, name), code, `The '${name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`),
  );
}

function validateTotals(message: JsonObject, componentsPath: string): Violation[] {
  const all = flattenComponents(message.components, componentsPath);
  const textLength = all.reduce((sum, { component }) => {
    return component.type === ComponentType.TextDisplay ? sum + asString(component.content).length : sum;
  }, 0);
  const violations: Violation[] = [];
  if (all.length > MAX_COMPONENTS) {
    const reason = `Total number of components exceeds the maximum of ${MAX_COMPONENTS}`;
    violations.push(violation(componentsPath, 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', reason));
  }
  if (textLength > MAX_TEXT_LENGTH) {
    const reason = `Components displayable text size exceeds maximum size of ${MAX_TEXT_LENGTH}`;
    violations.push(violation(componentsPath, 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', reason));
  }
  return violations;
}
