import { ComponentType } from 'discord-api-types/v10';
import { validateComponent } from './components.ts';
import { asList, asNumber, asObject, isAbsent, isObject } from './json.ts';
import { requestOptions, modalSchema as schema } from './schemas.ts';
import { validateShape } from './shape.ts';
import { type ComponentAtPath, flattenComponents } from './tree.ts';
import { validateUniqueIds } from './unique-ids.ts';
import { field, item, required, type Violation, violation } from './violation.ts';

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal */
export function validateModal(data: unknown, path: string): Violation[] {
  const violations = validateShape(schema, data, path, requestOptions);
  if (!isObject(data)) return violations;
  const fieldPath = field(path, 'components');
  const components = flattenComponents(data.components, fieldPath);
  const topLevel = asList(data.components).map((component, index) => ({
    component: asObject(component),
    path: item(fieldPath, index),
  }));
  return [
    ...violations,
    ...topLevel.flatMap(validateTopLevelComponent),
    ...components.flatMap(validateComponent),
    ...components.flatMap(validateField),
    ...validateUniqueIds(components),
  ];
}

/** A label component has the label itself; in a legacy action row, the text input has it. */
function validateTopLevelComponent({ component, path }: ComponentAtPath): Violation[] {
  if (component.type === ComponentType.Label) {
    const inner = asObject(component.component);
    if (inner.type !== ComponentType.TextInput || isAbsent(inner.label)) return [];
    const fieldPath = field(field(path, 'component'), 'label');
    return [
      violation(fieldPath, 'COMPONENT_LABEL_FORBIDDEN', 'A text input inside a label cannot have a label of its own'),
    ];
  }
  if (component.type !== ComponentType.ActionRow) return [];
  return asList(component.components)
    .map((each, index) => ({ each: asObject(each), path: item(field(path, 'components'), index) }))
    .filter(({ each }) => each.type === ComponentType.TextInput && isAbsent(each.label))
    .map(({ path: fieldPath }) => required(field(fieldPath, 'label')));
}

function validateField({ component, path }: ComponentAtPath): Violation[] {
  const violations: Violation[] = [];
  if (component.disabled === true) {
    violations.push(
      violation(field(path, 'disabled'), 'COMPONENT_DISABLED_IN_MODAL', 'A modal cannot hold a disabled select'),
    );
  }
  if (component.required !== false && component.min_values === 0) {
    const message = 'Select menus marked as required cannot have a min_values of 0';
    violations.push(violation(field(path, 'min_values'), 'SELECT_COMPONENT_REQUIRED_ZERO_MIN_VALUES', message));
  }
  const { type, value } = component;
  if (type !== ComponentType.TextInput || typeof value !== 'string') return violations;
  const max = asNumber(component.max_length) ?? value.length;
  if (value.length > max && value.length <= 4000) {
    violations.push(violation(field(path, 'value'), 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`));
  }
  return violations;
}
