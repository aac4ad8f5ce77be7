import { ComponentType } from 'discord-api-types/v10';
import { validateComponent } from './components.ts';
import { isAbsent, isObject, listIn, numberIn, objectIn } from './json.ts';
import { requestOptions, modalSchema as schema } from './schemas.ts';
import { validateShape } from './shape.ts';
import { type ComponentAtPath, flattenComponents } from './tree.ts';
import { validateUniqueIds } from './unique-ids.ts';
import { field, item, required, type Violation, violation } from './violation.ts';

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal */
export function validateModal(data: unknown, path: string): Violation[] {
  const violations = validateShape(schema, data, path, requestOptions);
  if (!isObject(data)) return violations;
  const at = field(path, 'components');
  const components = flattenComponents(data.components, at);
  const topLevel = listIn(data.components).map((component, index) => ({
    component: objectIn(component),
    path: item(at, index),
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
    const inner = objectIn(component.component);
    if (inner.type !== ComponentType.TextInput || isAbsent(inner.label)) return [];
    const at = field(field(path, 'component'), 'label');
    return [violation(at, 'COMPONENT_LABEL_FORBIDDEN', 'A text input inside a label cannot have a label of its own')];
  }
  if (component.type !== ComponentType.ActionRow) return [];
  return listIn(component.components)
    .map((each, index) => ({ each: objectIn(each), at: item(field(path, 'components'), index) }))
    .filter(({ each }) => each.type === ComponentType.TextInput && isAbsent(each.label))
    .map(({ at }) => required(field(at, 'label')));
}

function validateField({ component, path }: ComponentAtPath): Violation[] {
  const violations: Violation[] = [];
  if (component.disabled === true) {
    violations.push(
      violation(field(path, 'disabled'), 'COMPONENT_DISABLED_IN_MODAL', 'A modal cannot hold a disabled select'),
    );
  }
  const { type, value } = component;
  if (type !== ComponentType.TextInput || typeof value !== 'string') return violations;
  const max = numberIn(component.max_length) ?? value.length;
  if (value.length > max && value.length <= 4000) {
    violations.push(violation(field(path, 'value'), 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`));
  }
  return violations;
}
