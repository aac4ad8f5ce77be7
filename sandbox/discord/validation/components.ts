import { ComponentType } from 'discord-api-types/v10';
import { validateButton } from './buttons.ts';
import { asList, asObject, type JsonObject } from './json.ts';
import { validateRange } from './range.ts';
import { validateChoiceComponent } from './selects.ts';
import type { ComponentAtPath } from './tree.ts';
import { field, item, type Violation, violation } from './violation.ts';

const ROW_WIDTH = 5;

const CHOICE_COMPONENTS: ReadonlySet<unknown> = new Set([
  ComponentType.StringSelect,
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
  ComponentType.FileUpload,
  ComponentType.RadioGroup,
  ComponentType.CheckboxGroup,
]);

/** Applies the rules for a single component that are missing from Discord's schema. */
export function validateComponent({ component, path }: ComponentAtPath): Violation[] {
  const { type } = component;
  if (type === ComponentType.ActionRow) return validateRow(component, path);
  if (type === ComponentType.Button) return validateButton(component, path);
  if (type === ComponentType.TextInput) return validateRange(component, path, 'min_length', 'max_length');
  return CHOICE_COMPONENTS.has(type) ? validateChoiceComponent(component, path) : [];
}

/** A button takes one of a row's five places; any other component takes all five. */
function validateRow(row: JsonObject, path: string): Violation[] {
  const areButtons = asList(row.components).map((each) => asObject(each).type === ComponentType.Button);
  const fieldPath = field(path, 'components');
  return areButtons.flatMap((isButton, index) => {
    const previous = areButtons.slice(0, index);
    const usedWidth = previous.reduce((sum, each) => sum + (each ? 1 : ROW_WIDTH), 0);
    // If a row has more than five components, the schema reports it.
    if (usedWidth + (isButton ? 1 : ROW_WIDTH) <= ROW_WIDTH || index >= ROW_WIDTH) return [];
    const message = 'The specified component exceeds the maximum width';
    return [violation(item(fieldPath, index), 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', message)];
  });
}
